#!/usr/bin/env python3
"""Malformed input, through the real program: status 2, one clear line with its place, nothing else.

    bad_input_test.py path/to/fairlead

Each file in the other folders is wrong in one way. What the program must say about it stands in its last line, `# expect: ...`, or, where such a line would change the case,
in a file beside it that ends in .expected. command_lines.txt has wrong command lines, each followed by
what the program must say. good/ holds what the rest of a command is made of.
"""

import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
EXPECT = "# expect: "
program = None  # the path of fairlead

# The command for a file in each folder. OUT is a file that does not exist yet.
COMMANDS = {
    "profile": ["simulate", "--profile", "FILE", "--requests", "../good/requests.csv"],
    "requests": ["simulate", "--profile", "../good/profile.csv", "--requests", "FILE"],
    "plan": ["simulate", "--profile", "../good/profile.csv", "--requests", "../good/requests.csv",
             "--plan", "FILE"],
    "scenario": ["simulate", "FILE"],
    "sharing": ["share", "FILE"],
    "books": ["simulate", "../good/scenario.yaml", "--continue", "FILE"],
    "accelerator": ["cost", "alexnet", "--on", "FILE"],
    "layers": ["cost", "--layers", "FILE", "--on", "simba"],
    "azure": ["import", "azure-functions-2019", "FILE", "--networks", "a,b", "--out", "OUT"],
    "alibaba": ["import", "alibaba-pai-2020", "FILE", "--networks", "a,b", "--out", "OUT"],
}
RECORDING = [["replay", "FILE"], ["why", "FILE", "0"]]


def is_case(path):
    return path.suffix != ".expected" and not path.name.startswith("part_of_")


def expected(path):
    beside = path.with_name(path.name + ".expected")
    if beside.exists():
        return beside.read_text(encoding="utf-8").rstrip("\n")
    last = path.read_text(encoding="utf-8").rstrip("\n").split("\n")[-1]
    if not last.startswith(EXPECT):
        raise ValueError(f"{path}: neither a last line '{EXPECT}...' nor {beside.name}")
    return last[len(EXPECT):]


def filled_in(command, name):
    return [name if word == "FILE" else word for word in command]


def with_output(arguments, folder):
    return [f"{folder}/out.csv" if word == "OUT" else word for word in arguments]


class BadInput(unittest.TestCase):
    def refuse(self, arguments, line, folder=HERE):
        """The program refuses the arguments with this line, and leaves nothing behind."""
        with tempfile.TemporaryDirectory() as out:
            outputs = []
            if arguments[:1] == ["simulate"]:
                outputs = ["--outcomes", f"{out}/o.csv", "--trace", f"{out}/t.json",
                           "--record", f"{out}/r.rec"]
            arguments = with_output(arguments, out)
            run = subprocess.run([program, *arguments[:1], *outputs, *arguments[1:]], cwd=folder,
                                 timeout=600, stdin=subprocess.DEVNULL, capture_output=True)
            self.assertEqual(run.stderr.decode("utf-8"), line + "\n")
            self.assertEqual(run.returncode, 2)
            self.assertEqual(run.stdout, b"")
            self.assertEqual(os.listdir(out), [])

    def refuse_all(self, folder, commands):
        paths = [path for path in sorted((HERE / folder).iterdir()) if is_case(path)]
        self.assertGreater(len(paths), 5)
        for path in paths:
            for command in commands:
                with self.subTest(f"{command[0]} {folder}/{path.name}"):
                    self.refuse(filled_in(command, path.name), expected(path), HERE / folder)

    def test_good_input_is_accepted(self):
        for folder, command in COMMANDS.items():
            suffix = {"scenario": "yaml", "sharing": "yaml", "accelerator": "yaml", "books": "json"}.get(folder, "csv")
            arguments = filled_in(command, f"../good/{folder}.{suffix}")
            with tempfile.TemporaryDirectory() as out:
                run = subprocess.run([program, *with_output(arguments, out)], cwd=HERE / folder,
                                     timeout=600, capture_output=True)
            self.assertEqual((run.returncode, run.stderr), (0, b""), folder)

    def test_profiles(self):
        self.refuse_all("profile", [COMMANDS["profile"]])

    def test_books(self):
        self.refuse_all("books", [COMMANDS["books"]])

    def test_requests(self):
        self.refuse_all("requests", [COMMANDS["requests"]])

    def test_plans(self):
        self.refuse_all("plan", [COMMANDS["plan"]])

    def test_scenarios(self):
        self.refuse_all("scenario", [COMMANDS["scenario"]])

    def test_sharing(self):
        self.refuse_all("sharing", [COMMANDS["sharing"]])

    def test_accelerators(self):
        self.refuse_all("accelerator", [COMMANDS["accelerator"]])

    def test_layers(self):
        self.refuse_all("layers", [COMMANDS["layers"]])

    def test_traces(self):
        for folder in "azure", "alibaba":
            self.refuse_all(folder, [COMMANDS[folder]])

    def test_check_says_the_same(self):
        for name in "billion_tenants", "no_unit_horizon", "unknown_network", "unknown_policy":
            path = HERE / "scenario" / f"{name}.yaml"
            self.refuse(["check", path.name], expected(path), path.parent)

    def test_recordings(self):
        self.refuse_all("recording", RECORDING)

    def test_command_lines(self):
        lines = (HERE / "command_lines.txt").read_text(encoding="utf-8").splitlines()
        cases = [line for line in lines if line and not line.startswith("#")]
        self.assertEqual(len(cases) % 2, 0)
        for command, line in zip(cases[::2], cases[1::2]):
            with self.subTest(command):
                prompt, name, *arguments = command.split()
                self.assertEqual((prompt, name), ("$", "fairlead"))
                self.refuse(arguments, line)


class HugeInput(unittest.TestCase):
    """Files too long to be kept: they are refused quickly, and the message stays short."""

    def refuse(self, name, text, *arguments):
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, name).write_text(text, encoding="utf-8")
            run = subprocess.run([program, *arguments], cwd=folder, timeout=600, capture_output=True)
        message = run.stderr.decode("utf-8")
        self.assertEqual(run.returncode, 2, message)
        self.assertEqual(run.stdout, b"")
        self.assertEqual(message.count("\n"), 1)
        self.assertLess(len(message), 1200)
        self.assertTrue(message.startswith(f"{name}:"), message)
        return message

    def test_deep_nesting(self):
        for opening in "[", "{a: ", "- ":
            self.assertIn("not valid YAML", self.refuse("deep.yaml", opening * 200_000, "check",
                                                        "deep.yaml"))

    def test_aliases_of_aliases(self):
        text = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n"
        for i in range(1, 40):
            text += f"a{i}: &a{i} [{', '.join(['*a' + str(i - 1)] * 9)}]\n"
        self.assertIn("unknown key 'a0'", self.refuse("bomb.yaml", text, "check", "bomb.yaml"))

    def test_long_lines(self):
        text = "platform: xavier\nhorizon: 1s\ntenants: [{networks: alexnet, rate: 1/s}]\n"
        self.assertIn("unknown policy 'ppp", self.refuse("long.yaml", text + f"policies: {'p' * 100_000}",
                                                         "check", "long.yaml"))
        self.assertIn("unknown column 'ccc", self.refuse("long.csv", "c" * 1_000_000, "simulate",
                                                         "--profile", "long.csv", "--requests",
                                                         "long.csv"))

    def test_many_kinds(self):
        rows = "".join(f"a,0,x{kind},1,0,0\n" for kind in range(2_000))
        header = "network,layer,accelerator,latency_ns,dram_bytes,energy_pj\n"
        self.assertIn("more than 1000 kinds", self.refuse("kinds.csv", header + rows, "simulate",
                                                          "--profile", "kinds.csv", "--requests",
                                                          "kinds.csv"))


if __name__ == "__main__":
    program = str(Path(sys.argv.pop(1)).resolve())
    unittest.main()
