#!/usr/bin/env python3
"""A policy of one's own, in a shared object: the example in examples/own-policy, and what is wrong.

    plugin_test.py path/to/fairlead path/to/longest_waiting.so path/to/wrong_policy.so
                   path/to/crashing_policy.so
"""

import json
import shutil
import signal
import sys

OWN = sys.argv.pop(2)
WRONG = sys.argv.pop(2)
CRASHING = sys.argv.pop(2)

from cli_program import HERE, SMALL, Cli, main  # noqa: E402: it reads the arguments that are left


class Plugin(Cli):
    def setUp(self):
        super().setUp()
        shutil.copy(OWN, self.folder / "mine.so")
        shutil.copy(WRONG, self.folder / "wrong.so")
        shutil.copy(CRASHING, self.folder / "crashing.so")

    def simulate(self, policy, *more, **expected):
        return self.run_program("simulate", SMALL, "--policy", policy, *more, **expected)

    def test_runs_beside_others(self):
        runs = json.loads(self.simulate("edf-h,./mine.so:urgent=2ms", "-o", "json"))["runs"]
        self.assertEqual([run["policy"] for run in runs], ["edf-h", "./mine.so:urgent=2ms"])
        self.assertEqual(runs[0]["requests"], runs[1]["requests"])
        self.assertGreater(runs[1]["hits"], 0)

    def test_leaves_out_defaults_in_its_name(self):
        runs = json.loads(self.simulate("./mine.so:most=64", "-o", "json"))["runs"]
        self.assertEqual(runs[0]["policy"], "./mine.so")

    def test_is_recorded_and_replayed(self):
        self.simulate("./mine.so", "--record", "run.rec")
        self.assertIn("every decision is the same", self.run_program("replay", "run.rec", "--policy", "./mine.so"))
        self.run_program("replay", "run.rec", status=2, stderr=None)

    def test_outputs_of_several_runs_have_no_folders_in_their_names(self):
        self.simulate("edf-h,./mine.so", "--outcomes", "o.csv")
        self.assertIn("o.mine.so.3.csv", self.files())

    def test_complains_of_options(self):
        self.simulate("./mine.so:most=0", status=2,
                      stderr="--policy: ./mine.so: option 'most' of this policy cannot be '0'; "
                             "expected a whole number from 1 to 100000\n")
        self.simulate("./mine.so:urgnt=1ms", status=2, stderr=None)

    def test_refuses_what_was_made_for_another_fairlead(self):
        run = self.simulate("./wrong.so", status=2, stderr=None)
        self.assertEqual(run, "")

    def test_names_a_policy_that_crashes(self):
        for policy in ("./crashing.so", "./crashing.so:deep=1"):
            self.simulate(policy, "--jobs", 1, status=-signal.SIGSEGV,
                          stderr="fairlead: the policy ./crashing.so crashed\n")

    def test_refuses_what_is_no_policy(self):
        (self.folder / "text.so").write_text("no object")
        self.simulate("./text.so", status=2, stderr=None)
        self.simulate("./missing.so", status=2, stderr=None)

    def test_only_the_command_line_names_files(self):
        text = (HERE / "small.yaml").read_text(encoding="utf-8")
        text = text.replace("policies: [fcfs-h, 'edf-h:drop=early']", "policies: [./mine.so]")
        (self.folder / "own.yaml").write_text(text.replace("small.csv", str(HERE / "small.csv")))
        self.run_program("check", "own.yaml", status=2,
                         stderr="own.yaml:5:12: policies: ./mine.so: only --policy on the command "
                                "line names a policy from a file\n")


if __name__ == "__main__":
    main()
