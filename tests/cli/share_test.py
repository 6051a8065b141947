#!/usr/bin/env python3
"""The program from outside: share.

    share_test.py path/to/fairlead

What is wrong input, and what the program says about it, is tests/bad_input's.
"""

from cli_program import HERE, Cli, main

SMALL = str(HERE.parent / "bad_input/good/sharing.yaml")


class Share(Cli):
    RUN = {"mechanism", "thresholds", "seed", "welfare", "throughput", "per_class", "phi", "round_us"}

    def test_json_has_what_scripts_rely_on(self):
        result = self.run_json("share", SMALL, "--seeds", 2, "--envy")
        self.assertEqual(result["scenario"], "small")
        self.assertEqual([run["seed"] for run in result["runs"]], [1, 1, 1, 2, 2, 2])
        for run in result["runs"]:
            self.assertLessEqual(self.RUN | {"envy_pairs"}, set(run))
            self.assertEqual(set(run["phi"]), {"min", "mean", "share_at_least_1"})
            self.assertEqual([one["weight"] for one in run["per_class"]], [1, 2])

    def test_the_same_seed_gives_the_same(self):
        def runs(seed):
            found = self.run_json("share", SMALL, "--seed", seed)["runs"]
            return [{key: run[key] for key in run if key != "round_us"} for run in found]
        self.assertEqual(runs(3), runs(3))
        self.assertNotEqual(runs(3), runs(4))

    def test_every_mechanism_and_rule_of_thresholds_runs(self):
        for thresholds in "fixed:0.5", "hedge", "hedge:sign=text", "actor-critic":
            text = self.run_program("share", SMALL, "--mechanism", "all", "--thresholds", thresholds)
            for name in "most-token-first-plus", "token-game", "themis", "nash":
                self.assertIn(name, text)

    def test_an_actor_can_be_trained_and_used(self):
        self.run_program("share", SMALL, "--train", "actor.txt", "--episodes", 3, stderr=None)
        self.assertTrue(self.read("actor.txt").startswith(b"fairlead-network 1 sharing-actor 1 2\n"))
        runs = self.run_json("share", SMALL, "--thresholds", "actor-critic:actor.txt")["runs"]
        self.assertEqual(runs[0]["thresholds"], "actor-critic:actor.txt")

    def test_a_file_that_is_no_actor_is_refused(self):
        (self.folder / "no.txt").write_text("fairlead-network 1 other 1 1\n")
        self.run_program(
            "share", SMALL, "--thresholds", "actor-critic:no.txt", status=2,
            stderr="--thresholds: no.txt: a network 'other' of version 1, where 'sharing-actor' of "
                   "version 1 was expected\n")


if __name__ == "__main__":
    main()
