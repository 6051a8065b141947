#!/usr/bin/env python3
"""Holds tools/check to its word: each breach, made in a small tree, is found where it stands."""

import contextlib
import importlib.machinery
import importlib.util
import io
import sys
import tempfile
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
TOOLS = Path(__file__).resolve().parent
loader = importlib.machinery.SourceFileLoader("check", str(TOOLS / "check"))
check = importlib.util.module_from_spec(importlib.util.spec_from_loader("check", loader))
sys.modules["check"] = check
loader.exec_module(check)


def findings(checks, files):
    """What the checks print about a tree of these files, a map from path to text."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        for name, text in files.items():
            path = root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        (root / "tools").mkdir()
        (root / "tools/arrows.txt").write_text((TOOLS / "arrows.txt").read_text())
        output = io.StringIO()
        with contextlib.redirect_stdout(output):
            status = check.main(["--root", folder, *checks.split()])
        lines = output.getvalue().splitlines()
        assert status == (1 if lines else 0), (status, lines)
        return lines


class Arrows(unittest.TestCase):
    def breach(self, path, room):
        found = findings("arrows", {path: f'\n#include "fairlead/{room}/x.h"\n'})
        return len(found) == 1 and found[0].startswith(f"{path}:2: ")

    def test_down_is_allowed(self):
        self.assertFalse(self.breach("fairlead/costs/a.cc", "base"))
        self.assertFalse(self.breach("apps/main.cc", "scenario"))
        self.assertFalse(self.breach("tests/replay/a.cc", "scenario"))

    def test_up_and_sideways_are_not(self):
        self.assertTrue(self.breach("fairlead/base/a.h", "domain"))
        self.assertTrue(self.breach("fairlead/policies/a.cc", "simulation"))
        self.assertTrue(self.breach("fairlead/simulation/a_test.cc", "policies"))

    def test_exceptions(self):
        self.assertFalse(self.breach("fairlead/policies/a_test.cc", "simulation"))
        self.assertFalse(self.breach("fairlead/learning/torch/a.cc", "sharing"))
        self.assertTrue(self.breach("fairlead/learning/a.cc", "sharing"))

    def test_refusals(self):
        self.assertTrue(self.breach("fairlead/serving/a.h", "simulation"))
        self.assertFalse(self.breach("fairlead/serving/a_test.cc", "simulation"))
        self.assertFalse(self.breach("fairlead/serving/a.h", "execution"))

    def test_rooms(self):
        self.assertFalse(self.breach("fairlead/networks/onnx/a.cc", "networks"))
        self.assertFalse(self.breach("fairlead/scenario/a.cc", "networks/onnx"))
        self.assertTrue(self.breach("fairlead/networks/a.cc", "networks/onnx"))
        self.assertTrue(self.breach("fairlead/simulation/a.cc", "networks/onnx"))

    def test_what_tests_stand_on(self):
        self.assertFalse(self.breach("fairlead/networks/a_test.cc", "networks/testing"))
        self.assertFalse(self.breach("fairlead/serving/a_test.cc", "execution/testing"))
        self.assertFalse(self.breach("fairlead/serving/testing/a.h", "execution/testing"))
        self.assertFalse(self.breach("tests/live/a.cc", "execution/testing"))
        self.assertTrue(self.breach("fairlead/networks/a.cc", "networks/testing"))
        self.assertTrue(self.breach("fairlead/execution/a_test.cc", "serving/testing"))

    def test_unknown_module(self):
        self.assertTrue(self.breach("fairlead/misc/a.cc", "base"))

    def test_commented_include(self):
        text = '// #include "fairlead/world/x.h"\n'
        self.assertEqual(findings("arrows", {"fairlead/base/a.cc": text}), [])


class Sizes(unittest.TestCase):
    def found(self, text):
        return findings("sizes", {"fairlead/base/a.cc": text})

    def test_long_files(self):
        self.assertEqual(self.found("int x;\n" * 800), [])
        self.assertEqual(len(self.found("int x;\n" * 801)), 1)

    def test_long_functions(self):
        for head in ("void F() {", "int C::F(int a,\n  int b) const {", "C::C(int a) : a_(a), b_{1} {",
                     "auto F() -> std::vector<int> {", "TEST(A, B) {"):
            body = "  if (x) { y(); }\n"
            self.assertEqual(self.found(f"{head}\n{body * 50}}}\n"), [], head)
            self.assertEqual(len(self.found(f"{head}\n{body * 80}}}\n")), 1, head)

    def test_a_long_class_is_no_function(self):
        self.assertEqual(self.found("class C {\n" + "  void F() { g(); }\n" * 80 + "};\n"), [])


class Fences(unittest.TestCase):
    def test_guests_stay_in_their_room(self):
        for header, inside in {
            "yaml-cpp/yaml.h": "fairlead/scenario/yaml_reader.cc",
            "CLI/CLI.hpp": "apps/main.cc",
            "coin/ClpSimplex.hpp": "fairlead/workload/a.cc",
            "coin/Cbc_C_Interface.h": "benchmarks/integer_program.cc",
            "simgrid/s4u.hpp": "benchmarks/a.cc",
            "nlohmann/json.hpp": "fairlead/recording/a.cc",
            "gtest/gtest.h": "fairlead/base/a_test.cc",
        }.items():
            line = f"#include <{header}>\n"
            self.assertEqual(findings("fences", {inside: line}), [])
            self.assertEqual(len(findings("fences", {"fairlead/scheduling/engine.cc": line})), 1)

    def test_json_not_in_headers(self):
        line = "#include <nlohmann/json.hpp>\n"
        self.assertEqual(len(findings("fences", {"fairlead/report/a.h": line})), 1)


class Bans(unittest.TestCase):
    def banned(self, code, path="fairlead/scheduling/a.cc"):
        return len(findings("bans", {path: code})) > 0

    def test_each(self):
        for code in (
            "auto t = std::chrono::steady_clock::now();",
            "clock_gettime(0, &t);",
            "time(nullptr);",
            "std::this_thread::sleep_for(d);",
            "std::mutex m;",
            "std::exit(1);",
            "abort();",
            "int i = rand();",
            "std::mt19937 g;",
            "std::normal_distribution<> d;",
            "std::ranges::shuffle(v, g);",
            "if (simulated) return;",
            "if (!world.is_simulated()) return;",
        ):
            self.assertTrue(self.banned(code), code)

    def test_innocent(self):
        for code in (
            "// std::exit(1)\n/* rand() */",
            'f("abort() 1"); g(R"(exit(1))");',
            "const int n = 1'000'000; // abort()",
            "job.exit(); p->abort(); Arrival time(5);",
            "RandomStream random(seed); on_exit(x); operand(1);",
            "Outcome simulated; if (a) { simulated = b; }",
        ):
            self.assertFalse(self.banned(code), code)

    def test_allow_list(self):
        self.assertFalse(self.banned("steady_clock::now();", "fairlead/base/stopwatch.cc"))
        self.assertFalse(self.banned("std::mt19937 g;", "fairlead/base/a_test.cc"))
        self.assertTrue(self.banned("steady_clock::now();", "fairlead/base/a_test.cc"))
        self.assertTrue(self.banned("std::hash<std::string>()(key);", "fairlead/costs/a.cc"))
        self.assertFalse(self.banned("struct std::hash<Id> {};", "fairlead/base/id.h"))

    def test_names_file_and_line(self):
        found = findings("bans", {"fairlead/base/a.cc": "\n/* a\n b */\nstd::abort();\n"})
        self.assertTrue(found[0].startswith("fairlead/base/a.cc:4: 'std::abort('"), found)


class Files(unittest.TestCase):
    def test_good(self):
        found = findings("files", {
            "fairlead/base/a.h": "// What it is.\n#pragma once\n",
            "fairlead/base/a.cc": "",
            "fairlead/base/CMakeLists.txt": "fairlead_module(\n  NAME base\n  SOURCES a.cc)\n",
        })
        self.assertEqual(found, [])

    def test_bad(self):
        found = findings("files", {
            "fairlead/base/BadName.h": "\n" + "x" * 101 + "\n",
            "fairlead/base/data.cc": "",
            "fairlead/base/CMakeLists.txt": "a.cc",
        })
        self.assertEqual(len(found), 5, found)  # name, comment, pragma, columns, not listed


if __name__ == "__main__":
    unittest.main()
