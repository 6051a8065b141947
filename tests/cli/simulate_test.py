#!/usr/bin/env python3
"""The program from outside: simulate, its results and exit statuses, on real networks too.

    simulate_test.py path/to/fairlead

What is wrong input, and what the program says about it, is tests/bad_input's.
"""

import json
import os
import subprocess
import tempfile
import unittest.mock
from pathlib import Path

from cli_program import BARE, HERE, ONNX, PROGRAM, RUN, SMALL, Cli, main, no_core_left


class Simulate(Cli):
    def check_run(self, run):
        self.assertLessEqual(set(RUN), set(run))
        for key, kind in RUN.items():
            if isinstance(kind, set):
                self.assertEqual(set(run[key]), kind, key)
            else:
                self.assertIsInstance(run[key], kind, key)
        ends = run["hits"] + run["misses"] + run["dropped"] + run["rejected"]
        self.assertEqual(run["requests"], ends)
        self.assertAlmostEqual(run["hit_rate"], run["hits"] / run["requests"])
        self.assertEqual(run["requests"], sum(a["requests"] for a in run["per_agreement"]))
        self.assertEqual(run["agreements"]["count"], len(run["per_agreement"]))

    def test_json_has_every_key(self):
        result = self.run_json("simulate", SMALL)
        self.assertLessEqual({"scenario", "version", "config", "runs"}, set(result))
        self.assertNotIn("summary", result)
        self.assertEqual(result["scenario"], "small")
        self.assertEqual(result["config"]["platform"]["bandwidth"], "4GB/s")
        self.assertEqual([run["policy"] for run in result["runs"]],
                         ["fcfs-h", "edf-h:drop=early"])  # the scenario's
        for run in result["runs"]:
            self.check_run(run)
            self.assertEqual(run["seed"], 3)
            self.assertGreater(run["requests"], 100)
        late, dropped = result["runs"]
        self.assertGreater(late["misses"], 0)
        self.assertGreater(dropped["dropped"] + dropped["rejected"], 0)

    def test_seeds_are_summarised(self):
        result = self.run_json("simulate", SMALL, "--policy", "edf-h,sjf", "--seeds", 3)
        runs = [(run["policy"], run["seed"]) for run in result["runs"]]
        self.assertEqual(runs, [(p, s) for p in ("edf-h", "sjf") for s in (3, 4, 5)])
        summary = result["summary"]
        self.assertEqual([entry["policy"] for entry in summary["policies"]], ["edf-h", "sjf"])
        for entry in summary["policies"]:
            mean = sum(r["hit_rate"] for r in result["runs"] if r["policy"] == entry["policy"]) / 3
            self.assertAlmostEqual(entry["figures"]["hit_rate"]["mean"], mean)
            self.assertEqual(len(entry["figures"]["hit_rate"]["interval"]), 2)
        difference, = summary["differences"]
        self.assertEqual({difference["policy"], difference["against"]}, {"edf-h", "sjf"})

    def test_table(self):
        text = self.run_program("simulate", SMALL, "--policy", "all")
        for policy in self.run_json("policies"):
            (self.assertNotIn if policy["name"] == "fixed-plan" else self.assertIn)(
                f"\n{policy['name']} ", text)

    def test_built_in_networks(self):
        (self.folder / "zoo.yaml").write_text(
            "horizon: 100ms\nload: 0.5\nplatform: {accelerators: [{kind: simba}, {kind: eyeriss}]}\n"
            "tenants: [{networks: [alexnet, resnet50]}]\n", encoding="utf-8")
        result = self.run_json("simulate", "zoo.yaml", "--policy", "edf-h")
        self.assertEqual(result["scenario"], "zoo")
        self.assertGreater(result["runs"][0]["segments"], 0)

    def test_require(self):
        results = self.run_program("simulate", SMALL, "--policy", "edf-h", "--require",
                                   "hit_rate>=0", "--require", "agreements.count=4")
        self.assertIn("edf-h", results)
        missed = self.run_json("simulate", SMALL, "--policy", "edf-h", "--require", "hit_rate>=1",
                               status=1, stderr=None)
        self.assertLess(missed["runs"][0]["hit_rate"], 1)
        run = subprocess.run([PROGRAM, "simulate", SMALL, "--policy", "edf-h", "--require",
                              "hit_rate > 1"], capture_output=True, text=True)
        self.assertRegex(run.stderr, r"^not met by edf-h with seed 3: hit_rate > 1: it is [\d.]+%\n$")

    def test_require_of_tenants_and_rivals(self):
        asked = ["tenant.ann.hit_rate>=0%", "bob.worst<=100%", "latency.p99<=1h", "hits>=sjf"]
        results = self.run_json("simulate", SMALL, "--policy", "edf-h,sjf", "--seeds", "2", "--require", asked[0],
                                "--require", asked[1], "--require", asked[2])
        verdicts = results["objectives"]
        self.assertEqual([(v["policy"], v["objective"]) for v in verdicts],
                         [(policy, text) for policy in ("edf-h", "sjf") for text in asked[:3]])
        for verdict in verdicts:
            self.assertIs(verdict["met"], True)
            self.assertEqual(verdict["asked_by"], "command line")
            self.assertEqual(verdict["seeds"], [3, 4])
        run = subprocess.run([PROGRAM, "simulate", SMALL, "--policy", "edf-h,sjf", "-o", "json", "--require",
                              asked[3]], capture_output=True, text=True, check=False)
        objective, = json.loads(run.stdout)["objectives"]
        self.assertEqual(objective["policy"], "edf-h")
        self.assertEqual(objective["met"], objective["value"] >= objective["bound"])
        self.assertEqual(run.returncode, 0 if objective["met"] else 1)

    def test_a_scenario_demands(self):
        text = Path(SMALL).read_text(encoding="utf-8").replace("small.csv", str(Path(SMALL).with_name("small.csv")))
        (self.folder / "demands.yaml").write_text(
            text + "require: {edf-h: ['requests>=1', 'hits>1000000', 'hits>deficit'], sjf: ['hits<0']}\n", encoding="utf-8")
        run = subprocess.run([PROGRAM, "simulate", self.folder / "demands.yaml", "--policy", "edf-h"],
                             capture_output=True, text=True, check=False)
        self.assertEqual(run.returncode, 1)
        self.assertRegex(run.stdout, r"(?s)Asked of edf-h:\n  met      requests>=1: it is \d+\n"
                                     r"  NOT MET  hits>1000000: it is \d+\n"
                                     r"  -        hits>deficit: not judged, since deficit did not run\n"
                                     r"Asked of others by the scenario:\n"
                                     r"  -        hits<0: not judged, since sjf did not run\n$")
        self.assertRegex(run.stderr, r"^not met by edf-h with seed 3: hits>1000000: it is \d+\n$")

    def test_what_cannot_be_written(self):
        self.run_program("simulate", SMALL, "--policy", "edf-h", "--outcomes", "no/such/folder.csv",
                         status=3,
                         stderr="no/such/folder.csv: cannot be written: No such file or directory\n"
                                "Output files that are there are complete.\n")
        with open("/dev/full", "w", encoding="utf-8") as full:
            run = subprocess.run([PROGRAM, "simulate", SMALL, "--policy", "edf-h"], stdout=full,
                                 stderr=subprocess.PIPE, text=True)
        self.assertEqual((run.returncode, run.stderr), (3, "cannot write to standard output\n"))


class Bare(Cli):
    """Without a scenario: one accelerator for each kind, event-driven, late jobs finish."""

    def times(self, *arguments):
        self.run_program("simulate", *BARE, *arguments, "--outcomes", "o.csv")
        return {row["request"]: (int(row["start_ns"]), int(row["finish_ns"]), row["outcome"])
                for row in self.outcomes("o.csv")}

    def test_first_come_first_served(self):
        # Request 7 has x until 40000. fork.0 of 8 and 9 wait for it; fork.1 is faster on y.
        self.assertEqual(self.times("--policy", "fcfs-h")["7"], (0, 40_000, "hit"))

    def test_plan(self):
        # x: 7.0 to 10, 7.1 to 40, 8.0 to 45, 8.2 to 53, 9.0 to 58, 9.1 to 67, 9.2 to 75; y: 8.1
        # from 45 to 52, 8.3 from 53 to 57, 9.3 from 75 to 79 (in microseconds).
        expected = {"7": (0, 40_000, "hit"), "8": (40_000, 57_000, "miss"),
                    "9": (53_000, 79_000, "miss")}
        plan = ["--plan", HERE / "plan.csv"]
        self.assertEqual(self.times(*plan), expected)
        self.assertEqual(self.times(*plan, "--policy", "fixed-plan", "--bandwidth", "100GB/s"),
                         expected)

    def test_bandwidth(self):
        # Layer 0 asks for 2 GB/s and layer 1 for 3: both take longer with 1.
        times = self.times("--policy", "fcfs-h", "--bandwidth", "1GB/s", "--sharing", "max-min")
        self.assertGreater(times["7"][1], 40_000)
        unlimited = self.times("--policy", "fcfs-h", "--bandwidth", "1GB/s", "--sharing", "none")
        self.assertEqual(unlimited["7"], (0, 40_000, "hit"))


class Running(Cli):
    """Networks that really run, on cores of this machine."""

    LAYERS = {"gate": 4, "resize": 4}  # as they run

    def setUp(self):
        super().setUp()
        cache = tempfile.TemporaryDirectory()
        self.addCleanup(cache.cleanup)
        patch = unittest.mock.patch.dict(os.environ, {"XDG_CACHE_HOME": cache.name})
        patch.start()
        self.addCleanup(patch.stop)

        cores = sorted(os.sched_getaffinity(0))
        kinds = ["plain", "capped"][:len(cores)]
        rows = [f"{network},{layer},{kind},{20_000 * batch},0,0,{batch}"
                for network, layers in self.LAYERS.items() for layer in range(layers)
                for kind in kinds for batch in (1, 2)]
        header = "network,layer,accelerator,latency_ns,dram_bytes,energy_pj,batch"
        (self.folder / "costs.csv").write_text("\n".join([header, *rows]) + "\n", encoding="utf-8")
        files = ", ".join(str(ONNX / f"{network}.onnx") for network in self.LAYERS)
        (self.folder / "running.yaml").write_text(f"""
horizon: 300ms
platform:
  accelerators:
    - {{kind: plain, cores: [{cores[0]}]}}
    {f"- {{kind: capped, cores: [{cores[1]}], instructions: avx2}}" if cores[1:] else ""}
networks: {{profile: costs.csv, onnx: [{files}], segments: blocks, layers_per_block: 2}}
tenants:
  - {{name: ann, networks: [gate], rate: 200/s, deadline: 1s}}
  - {{name: bob, networks: [resize], rate: 100/s, deadline: 1s}}
""", encoding="utf-8")

    def test_every_request_is_computed_and_the_run_replays(self):
        for policy in "edf-h", "clockwork":
            run, = self.run_json("simulate", "running.yaml", "--live", "run", "--policy", policy,
                                 "--record", "run.rec", stderr=no_core_left(2))["runs"]
            self.assertGreater(run["requests"], 50)
            self.assertEqual(run["live"]["pace"], "run")
            self.assertEqual(run["hits"] + run["misses"], run["requests"])
            self.assertGreater(run["busy"]["plain"], 0)
            self.assertTrue(self.run_json("replay", "run.rec")["identical"])


if __name__ == "__main__":
    main()
