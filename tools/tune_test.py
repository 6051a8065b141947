#!/usr/bin/env python3
"""Holds tools/tune to its word: the budget, the score, and who goes on to the next stage."""

import importlib.machinery
import importlib.util
import sys
import tempfile
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
TOOLS = Path(__file__).resolve().parent
loader = importlib.machinery.SourceFileLoader("tune", str(TOOLS / "tune"))
tune = importlib.util.module_from_spec(importlib.util.spec_from_loader("tune", loader))
sys.modules["tune"] = tune
loader.exec_module(tune)


def option(key, values, default):
    return {"key": key, "values": values, "default": default}


SMALL = {"name": "small", "options": [option("cut", "a|b", "b"), option("drop", "none|early", "none")]}
LARGE = {"name": "large", "options": [option("drop", "none|early", "none"),
                                      option("place", "p|q|r|s|t", "p"),
                                      option("wait", "allowed|never", "allowed"),
                                      option("memory", "0.01..1000|any", "1.2")]}


class Candidates(unittest.TestCase):
    def test_all_combinations_where_they_fit(self):
        self.assertEqual(list(tune.candidates_of(SMALL, 4)),
                         ["small", "small:drop=early", "small:cut=a", "small:cut=a;drop=early"])

    def test_the_budget_is_used_up_and_kept(self):
        for budget in 2, 3, 12, 24, 99:
            chosen = tune.candidates_of(LARGE, budget)
            self.assertEqual(len(chosen), budget)
            self.assertEqual(list(chosen)[:2], ["large", "large:drop=early"])

    def test_every_value_is_tried_alone(self):
        chosen = tune.candidates_of(LARGE, 24)
        for one in "place=t", "wait=never", "memory=any", "memory=1":
            self.assertIn(f"large:drop=early;{one}", chosen)

    def test_they_are_the_same_each_time_and_others_for_others(self):
        self.assertEqual(tune.candidates_of(LARGE, 24), tune.candidates_of(LARGE, 24))
        other = tune.candidates_of({**LARGE, "name": "other"}, 24)
        self.assertNotEqual([spec.partition(":")[2] for spec in tune.candidates_of(LARGE, 24)],
                            [spec.partition(":")[2] for spec in other])

    def test_a_policy_that_drops_anyway_has_one_default(self):
        always = {"name": "always", "options": [option("drop", "none|early", "early")]}
        self.assertEqual(list(tune.candidates_of(always, 9)), ["always", "always:drop=none"])
        self.assertEqual(list(tune.candidates_of({"name": "bare", "options": []}, 9)), ["bare"])

    def test_a_range_that_nobody_listed_fails(self):
        with self.assertRaisesRegex(tune.NotCovered, "new: option zeal=0..7"):
            tune.candidates_of({"name": "new", "options": [option("zeal", "0..7", "3")]}, 9)
        with self.assertRaisesRegex(tune.NotCovered, "lacks the default, 1.3"):
            tune.candidates_of({"name": "new", "options": [option("memory", "0..9", "1.3")]}, 9)


def run_with(rate, worst, met, revenue, policy="p"):
    return {"policy": policy, "hit_rate": rate, "agreements": {"min": worst, "met_share": met},
            "revenue": revenue, "stakes": {"least": -10, "most": 30}}


class Score(unittest.TestCase):
    def test_it_is_the_mean_of_what_is_defined(self):
        self.assertAlmostEqual(tune.score_of(run_with(0.9, 0.5, 0.2, 10)), 100 * (0.9 + 0.5 + 0.2 + 0.5) / 4)
        self.assertAlmostEqual(tune.score_of(run_with(0.9, 0.5, None, 10)), 100 * (0.9 + 0.5 + 0.5) / 3)

    def test_what_cannot_run_gets_nothing(self):
        scenario = {"name": "s", "runs": [run_with(1, 1, 1, 30, "a"), run_with(0, 0, 0, -10, "a")],
                    "could_not_run": [{"policy": "b", "reason": "why"}]}
        self.assertEqual(tune.scores_of(scenario, ["a", "b"]), {"a": [100.0, 0.0], "b": [0.0]})
        with self.assertRaisesRegex(ValueError, "neither run nor refused: c"):
            tune.scores_of(scenario, ["a", "b", "c"])


class Stages(unittest.TestCase):
    def test_they_share_no_scenario(self):
        stages = tune.stages_of("4x1,3x2,2x5")
        self.assertEqual([list(stage.numbers()) for stage in stages], [[1, 2, 3, 4], [5, 6, 7], [8, 9]])
        with self.assertRaises(ValueError):
            tune.stages_of("4x1,3x2")

    def test_the_best_go_on_and_the_defaults_with_them(self):
        with tempfile.TemporaryDirectory() as folder:
            results = tune.Results(folder)
            tuning = tune.Tuning([SMALL], 4, tune.stages_of("1x1,1x1,1x1"), results)
            self.assertEqual(tuning.due(0), list(tune.candidates_of(SMALL, 4)))
            results.write(results.path(1), {"small": [1], "small:drop=early": [2], "small:cut=a": [9],
                                            "small:cut=a;drop=early": [3]})
            finalists = ["small", "small:drop=early", "small:cut=a"]
            self.assertEqual(tuning.due(1), finalists)
            self.assertEqual(results.missing(2, finalists), finalists)
            # Luck in the first does not decide: 2 + 20 is more than 9 + 0.
            results.write(results.path(2), {"small": [1], "small:drop=early": [20], "small:cut=a": [0]})
            self.assertEqual(tuning.winner(SMALL), "small:drop=early")
            self.assertEqual(tuning.due(2), ["small", "small:drop=early"])


if __name__ == "__main__":
    unittest.main()
