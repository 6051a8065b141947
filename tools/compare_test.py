#!/usr/bin/env python3
"""Holds tools/compare to its word: who runs when, what is kept, and what tables say of it."""

import argparse
import importlib.machinery
import importlib.util
import sys
import tempfile
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
TOOLS = Path(__file__).resolve().parent
loader = importlib.machinery.SourceFileLoader("compare", str(TOOLS / "compare"))
compare = importlib.util.module_from_spec(importlib.util.spec_from_loader("compare", loader))
sys.modules["compare"] = compare
loader.exec_module(compare)


def policy(name, drop=None, memory=None):
    options = [{"key": "place", "values": "a|b", "default": "a"}]
    if memory:
        options.append({"key": "memory", "values": "1..4|any", "default": memory})
    if drop:
        options.append({"key": "drop", "values": "none|early", "default": drop})
    return {"name": name, "options": options}


POLICIES = [policy("list", "none"), policy("ours", "early"), policy("clockwork"), policy("fixed-plan")]


class Specs(unittest.TestCase):
    def test_marks(self):
        self.assertEqual(compare.specs_of(POLICIES, ["ours", "list:place=b"]), {
            "list": ["default"], "list:drop=early": ["early drop"], "ours": ["default", "tuned"],
            "clockwork": ["default"], "list:place=b": ["tuned"]})

    def test_who_gives_up(self):
        for spec, expected in {"list": False, "list:drop=early": True, "list:place=b;drop=early": True,
                               "ours": True, "ours:drop=none": False, "clockwork": True}.items():
            self.assertEqual(compare.gives_up(spec, POLICIES), expected, spec)


    def test_the_limit_on_memory_is_taken_off(self):
        marks = compare.specs_of([policy("list", "none", "1.2"), policy("ours", "early", "1.2"), policy("off", None, "any")],
                                 [])
        free = [spec for spec, words in marks.items() if words == [compare.UNLIMITED]]
        self.assertEqual(free, ["list:drop=early;memory=any", "ours:memory=any"])


class Order(unittest.TestCase):
    def units(self, work, variant=None):
        arguments = argparse.Namespace(scenario=None, variant=variant, seeds=2, work=work)
        return compare.units_of(arguments, ["quick"], ["slow"], ["free"])

    def test_every_setting_comes_once_and_all_before_the_next_seed(self):
        units = self.units("own,curves,variants,other-variants")
        done = [(unit.setting, unit.seed) for unit in units]
        self.assertEqual(len(set(done)), len(done))
        variants = len(compare.VARIANTS) - 1
        self.assertEqual(len(done), 2 * (6 + 2 * 10 + 6 * variants))
        self.assertEqual([unit.seed for unit in units[:12]], [1] * 6 + [2] * 6)

    def test_one_variant_alone(self):
        units = self.units("variants,other-variants", "noise-10")
        self.assertEqual({unit.setting.variant for unit in units}, {"noise-10"})
        self.assertEqual(len(units), 2 * 6)

    def test_what_has_no_limit_runs_as_scenarios_stand(self):
        self.assertEqual(self.units("own")[0].specs, ["quick", "free"])
        self.assertEqual(self.units("curves")[0].specs, ["quick"])

    def test_late_ones_begin_with_low_loads(self):
        loads = [float(unit.setting.load) for unit in self.units("late") if unit.seed == 1]
        self.assertEqual(loads, sorted(loads))

    def test_a_setting_changes_load_and_beliefs(self):
        text = compare.Setting("firm", "noise-0.1", "1.4").text()
        self.assertIn("\nload: 1.4\n", text)
        self.assertTrue(text.startswith("beliefs: {noise: 0.001}\n"))


def run_of(policy_name, seed, worst):
    return {"policy": policy_name, "seed": seed, "agreements": {"min": worst}}


class Kept(unittest.TestCase):
    def test_lines_that_were_cut_short_do_not_count(self):
        with tempfile.TemporaryDirectory() as folder:
            store = compare.Store(folder)
            at = compare.Setting("firm", "plain", "1.1")
            store.add(at, [run_of("a", 1, 0.5)])
            with open(store.path(at), "a", encoding="utf-8") as file:
                file.write('{"policy": "a", "se')
            self.assertEqual(len(store.runs(at)), 1)
            store.add(at, [run_of("a", 2, 0.5)])
            self.assertEqual([one["seed"] for one in store.runs(at)], [1, 2])

    def test_too_slow_here_is_too_slow_above(self):
        with tempfile.TemporaryDirectory() as folder:
            store = compare.Store(folder)
            store.add(compare.Setting("firm", "plain", "1.1"), [{"policy": "a", "seed": 1, "too_slow_s": 9}])
            slow = {load: store.too_slow(compare.Setting("firm", "plain", load), "a")
                    for load in ("0.9", "1.1", "1.4")}
            self.assertEqual(slow, {"0.9": False, "1.1": True, "1.4": True})
            self.assertFalse(store.too_slow(compare.Setting("firm", "plain", "1.4"), "b"))
            self.assertFalse(store.too_slow(compare.Setting("fairness", "plain", "1.4"), "a"))


class Shown(unittest.TestCase):
    def test_a_seed_counts_once_and_what_took_too_long_is_empty(self):
        grouped = compare.by_policy([run_of("a", 1, 0.5), run_of("a", 1, 0.5), run_of("a", 2, 0.7),
                                     {"policy": "b", "seed": 1, "too_slow_s": 60}])
        self.assertEqual({spec: len(runs) for spec, runs in grouped.items()}, {"a": 2, "b": 0})

    def test_percent(self):
        self.assertEqual(compare.percent([0.5]), "50.0")
        self.assertEqual(compare.percent([0.5, None]), "50.0")
        self.assertEqual(compare.percent([None]), "-")
        # Three values 1 apart: t of two degrees times 1 / sqrt(3).
        self.assertEqual(compare.percent([0.49, 0.50, 0.51]), "50.0 ± 2.5")

    def test_a_move_counts_beyond_both_intervals(self):
        def runs(*values):
            return [run_of("a", seed, value) for seed, value in enumerate(values)]

        before = runs(0.49, 0.50, 0.51)  # ± 2.5 points
        moved = compare.Move.of(before, runs(0.53, 0.54, 0.55), "worst agreement")
        self.assertEqual((moved.before, round(moved.by, 6), moved.beyond), ("50.0 ± 2.5", 4, True))
        for after in (runs(0.50, 0.51, 0.52), runs(0.50, 0.54, 0.58)):  # less than seeds do; uncertain
            self.assertFalse(compare.Move.of(before, after, "worst agreement").beyond)
        self.assertIsNone(compare.Move.of(before[:1], before, "worst agreement"))


if __name__ == "__main__":
    unittest.main()
