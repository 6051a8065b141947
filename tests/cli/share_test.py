#!/usr/bin/env python3
"""The program from outside: share.

    share_test.py path/to/fairlead

What is wrong input, and what the program says about it, is tests/bad_input's.
"""

from cli_program import HERE, Cli, main

SMALL = str(HERE.parent / "bad_input/good/sharing.yaml")


class Share(Cli):
    RUN = {"mechanism", "thresholds", "seed", "welfare", "throughput", "per_class", "phi", "cost_phi",
           "envy_pairs", "round_us"}

    def test_json_has_what_scripts_rely_on(self):
        result = self.run_json("share", SMALL, "--seeds", 2)
        self.assertEqual(result["scenario"], "small")
        self.assertEqual([run["seed"] for run in result["runs"]], [1, 1, 1, 2, 2, 2])
        for run in result["runs"]:
            self.assertLessEqual(self.RUN, set(run))
            self.assertEqual(set(run["phi"]), {"min", "mean", "share_at_least_1"})
            self.assertEqual(set(run["cost_phi"]), {"max", "mean", "share_at_most_1"})
            self.assertIsInstance(run["envy_pairs"], int)
            self.assertEqual([one["weight"] for one in run["per_class"]], [1, 2])

    def test_rates_come_from_a_profile_too(self):
        (self.folder / "p.csv").write_text(
            "network,layer,accelerator,latency_ns,dram_bytes,energy_pj,units\n"
            "net,0,x,1000,0,0,1\nnet,0,x,500,0,0,2\nnet,1,x,1500,0,0,1\n")
        text = ("name: s\nrounds: 30\nqueue_utilities: [50%]\naccelerators: [{kind: x, count: 2}]\n"
                "mechanisms: [nash]\nagents: [{name: a, count: 2}]\n")
        (self.folder / "given.yaml").write_text(text + "applications: [{name: n, rates: {x: 5}}]\n")
        (self.folder / "told.yaml").write_text(
            text + "profile: p.csv\nround: 10us\napplications: [{name: n, network: net}]\n")

        def figures(name):
            run, = self.run_json("share", name)["runs"]
            return {key: run[key] for key in run if key != "round_us"}
        self.assertEqual(figures("told.yaml"), figures("given.yaml"))

    def test_training_takes_hyper_parameters(self):
        def trained(*options):
            self.run_program("share", SMALL, "--train", "a.txt", "--episodes", 2, *options, stderr=None)
            return self.read("a.txt")
        self.assertEqual(trained(), trained("--actor-rate", 0.002, "--critic-rate", 0.02, "--discount", 0.9,
                                            "--hidden", 16))
        self.assertNotEqual(trained(), trained("--actor-rate", 0.5))
        self.assertNotEqual(trained(), trained("--discount", 0))
        self.assertNotEqual(len(trained()), len(trained("--hidden", 8)))

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

    def test_an_actor_beyond_bounds_does_no_harm(self):
        self.run_program("share", SMALL, "--train", "actor.txt", "--episodes", 1, stderr=None)
        lines = self.read("actor.txt").decode().split("\n")
        last = max(i for i, line in enumerate(lines) if line.startswith("dense"))
        lines[last + 1:] = [" ".join("1e300" for _ in line.split()) for line in lines[last + 1:]]
        (self.folder / "huge.txt").write_text("\n".join(lines))
        self.assertEqual(len(self.run_json("share", SMALL, "--thresholds", "actor-critic:huge.txt")["runs"]), 3)

    def test_a_file_that_is_no_actor_is_refused(self):
        (self.folder / "no.txt").write_text("fairlead-network 1 other 1 1\n")
        self.run_program(
            "share", SMALL, "--thresholds", "actor-critic:no.txt", status=2,
            stderr="--thresholds: no.txt: a network 'other' of version 1, where 'sharing-actor' of "
                   "version 1 was expected\n")


if __name__ == "__main__":
    main()
