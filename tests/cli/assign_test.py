#!/usr/bin/env python3
"""The program from outside: assign, and the policy that obeys what it finds.

    assign_test.py path/to/fairlead
"""

from cli_program import Cli, main

WORLD = """platform: h200-partitions
horizon: 50ms
networks: {segments: whole}
arrivals: {process: poisson}
interference: {truth: measured, belief: constant:1.2}
load: 1.2
tenants: [{name: a, networks: [vgg16]}, {name: b, networks: [squeezenet1-1]}]
"""


class Assign(Cli):
    def setUp(self):
        super().setUp()
        (self.folder / "world.yaml").write_text(WORLD)

    def assign(self, *more, **expected):
        return self.run_json("assign", "world.yaml", "--budget", 20, *more, **expected)

    def test_json_has_what_was_found_and_how_sure_it_is(self):
        found = self.assign()
        self.assertEqual((found["goal"], found["search"]), ("goodput", "sampling"))
        self.assertGreaterEqual(found["score"], found["score_by_speed"])
        self.assertEqual(found["draws"], 19)  # one simulation is of ratios by speed
        self.assertAlmostEqual(found["guarantee"]["best_share"], 1 - 0.05 ** (1 / 19))
        for network in "vgg16", "squeezenet1-1":
            ratios = [one["ratio"] for one in found["ratios"] if one["network"] == network]
            self.assertAlmostEqual(sum(ratios), 1)

    def test_other_searches_promise_nothing(self):
        for search in "local", "halving":
            self.assertIsNone(self.assign("--search", search)["guarantee"])

    def test_what_it_writes_is_obeyed_recorded_and_replayed(self):
        self.assign("--out", "r.csv")
        policy = "goal-directed:ratios=r.csv;drop=early"
        run = self.run_json("simulate", "world.yaml", "--policy", policy, "--record", "run.rec")
        by_speed = self.run_json("simulate", "world.yaml", "--policy", "goal-directed:drop=early")
        self.assertNotEqual(run["runs"][0]["busy"], by_speed["runs"][0]["busy"])
        (self.folder / "r.csv").unlink()  # the recording has it
        self.run_program("replay", "run.rec")

    def test_wrong_input_is_told(self):
        for arguments, why in (
                (["--goal", "speed"], "unknown goal 'speed'; expected goodput, slo99-throughput, "
                 "throughput, fairness, energy, or a mix as goodput:0.7+fairness:0.3\n"),
                (["--search", "luck"], "unknown search 'luck'; expected sampling, local or halving\n"),
                (["--goal", "energy"], "goal energy: the costs of this world have none\n")):
            self.run_program("assign", "world.yaml", *arguments, status=2, stderr=why)
        (self.folder / "r.csv").write_text("network,accelerator,ratio\nvgg16,p9,1\n")
        self.run_program("simulate", "world.yaml", "--policy", "goal-directed:ratios=r.csv", status=2,
                         stderr="--policy goal-directed:ratios=r.csv: r.csv: the platform has no accelerator 'p9'\n")


if __name__ == "__main__":
    main()
