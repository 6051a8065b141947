#!/usr/bin/env python3
"""The program as its users see it: every verb, every file that it writes, every exit status.

    cli_test.py path/to/fairlead

What is wrong input, and what the program says about it, is tests/bad_input's.
"""

import csv
import json
import math
import os
import re
import subprocess
import sys
import tempfile
import unittest
import unittest.mock
from pathlib import Path

HERE = Path(__file__).resolve().parent
SMALL = str(HERE / "small.yaml")
ONNX = HERE.parent / "fuzz/corpus/onnx"
BARE = ["--profile", str(HERE / "small.csv"), "--requests", str(HERE / "requests.csv")]
VERBS = ["simulate", "suite", "replay", "why", "check", "cost", "profile", "import", "policies",
         "networks", "accelerators"]
program = None  # the path of fairlead

# What scripts may rely on.
DISTRIBUTION = {"count", "min", "q1", "median", "q3", "max", "mean", "std", "jain", "met_share",
                "mean_shortfall", "worst_window"}
RUN = {
    "policy": str, "seed": int, "requests": int, "hits": int, "misses": int, "dropped": int,
    "rejected": int, "hit_rate": float, "agreements": DISTRIBUTION, "tenants": DISTRIBUTION,
    "per_agreement": list, "window_violations": int, "latency": {"p50", "p95", "p99"},
    "antt": float, "stp": float, "goodput_per_s": float, "revenue": float, "energy_j": float,
    "policy_energy_j": float, "deferrals_per_segment": float, "makespan_ns": int,
    "busy": {"x.0", "x.1", "y"}, "busy_by_kind": {"x", "y"}, "work_prefers": {"x", "y"},
    "work_undecided": float, "bandwidth_utilisation": float,
    "decision_us": {"p50", "p99", "max"}, "segments": int, "wall_s": float,
    "segments_per_s": float, "bounds": {"hit_rate", "worst_tenant"},
}


class Cli(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def run_program(self, *arguments, status=0, stderr=""):
        """What the program prints; it exits with the status, and says on stderr just this."""
        run = subprocess.run([program, *map(str, arguments)], cwd=self.folder, timeout=600,
                             stdin=subprocess.DEVNULL, capture_output=True, text=True)
        self.assertEqual(run.returncode, status, run.stderr)
        if stderr is not None:
            self.assertEqual(run.stderr, stderr)
        return run.stdout

    def run_json(self, *arguments, **expected):
        return json.loads(self.run_program(*arguments, "-o", "json", **expected))

    def files(self):
        return sorted(path.name for path in self.folder.iterdir())

    def read(self, name):
        return (self.folder / name).read_bytes()

    def outcomes(self, name):
        with open(self.folder / name, newline="", encoding="utf-8") as file:
            return list(csv.DictReader(file))


class Help(Cli):
    def test_every_verb_explains_itself_with_an_example(self):
        top = self.run_program("--help")
        for verb in VERBS:
            self.assertIn(verb, top)
            text = self.run_program(verb, "--help")
            self.assertIn("Example", text)
            self.assertIn(f"  fairlead {verb} ", text)

    def test_simulate_lists_the_policies(self):
        text = self.run_program("simulate", "--help")
        for policy in self.run_json("policies"):
            self.assertIn(policy["name"], text)

    def test_version(self):
        self.assertRegex(self.run_program("--version"), r"^fairlead \d+\.\d+\.\d+\n$")


class Lists(Cli):
    def check_list(self, verb, keys, names):
        entries = self.run_json(verb)
        for entry in entries:
            self.assertLessEqual(keys, set(entry))
        self.assertLessEqual(names, {entry["name"] for entry in entries})
        text = self.run_program(verb)
        for entry in entries:
            self.assertIn(entry["name"], text)

    def test_policies(self):
        self.check_list("policies", {"name", "description"},
                        {"fcfs-h", "edf-h", "sjf", "least-laxity", "random", "round-robin",
                         "fixed-plan"})

    def test_networks(self):
        self.check_list("networks", {"name", "layers", "parameters", "macs", "input",
                                     "activations"},
                        {"alexnet", "densenet121", "efficientnet-b0", "googlenet", "inception-v3",
                         "mnasnet1-0", "mobilenet-v2", "mobilenet-v3-large", "resnet18",
                         "resnet50", "shufflenet-v2-x1-0", "squeezenet1-1", "vgg16",
                         "wide-resnet50-2", "yolo-v3"})

    def test_the_layers_of_a_network(self):
        for network in self.run_json("networks"):
            layers = self.run_json("networks", network["name"])
            self.assertEqual(len(layers), network["layers"])
            for key in "macs", "parameters":
                self.assertEqual(sum(layer[key] for layer in layers), network[key])
            k, p, q = zip(*(layer["output"] for layer in layers))
            self.assertEqual(sum(map(math.prod, zip(k, p, q))), network["activations"])
            text = self.run_program("networks", network["name"])
            for layer in layers:
                self.assertIn(f"\n{layer['name']} ", text)

    def test_the_layers_of_a_file(self):
        exports = HERE.parent / "onnx" / "torchvision"
        listed = self.run_json("networks", exports / "resnet18.onnx")
        built_in = self.run_json("networks", "resnet18")
        for key in "kind", "shape", "parameters", "macs", "output":
            self.assertEqual(sorted(str(layer[key]) for layer in listed),
                             sorted(str(layer[key]) for layer in built_in))

    def test_a_file_with_an_operator_that_is_not_known(self):
        path = HERE.parent / "fuzz" / "corpus" / "onnx" / "unknown.onnx"
        text = self.run_program(
            "networks", path,
            stderr=f"{path}: operator 'TopK' is not known: costs what it reads and writes (1 time: "
                   f"topk)\n{path}: dimensions of TopK's result are not known: taken as its input's "
                   f"(1 time: y)\n")
        self.assertIn("topk", text)

    def test_a_layer_says_all_about_itself(self):
        lines = self.run_program("networks", "resnet18").splitlines()
        self.assertEqual(lines[0].split(),
                         ["layer", "kind", "shape", "parameters", "MACs", "output", "after"])
        self.assertEqual(lines[1].split(),
                         ["conv1", "conv", "3x64", "7x7/2", "9536", "118013952", "64x112x112", "-"])
        self.assertEqual(lines[2].split(),
                         ["pool1", "pool", "64", "3x3/2", "0", "0", "64x56x56", "conv1"])
        self.assertEqual(self.run_json("networks", "resnet18")[1], {
            "name": "pool1", "kind": "pool",
            "shape": {"n": 1, "k": 64, "c": 1, "p": 56, "q": 56, "r": 3, "s": 3, "stride": 2,
                      "groups": 1, "operands": 64 * 112 * 112},
            "parameters": 0, "macs": 0, "output": [64, 56, 56], "after": ["conv1"]})

    def test_accelerators(self):
        self.check_list("accelerators", {"name", "description"}, {"simba", "eyeriss"})


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
        run = subprocess.run([program, "simulate", SMALL, "--policy", "edf-h", "--require",
                              "hit_rate > 1"], capture_output=True, text=True)
        self.assertRegex(run.stderr, r"^not met by edf-h with seed 3: hit_rate > 1: it is 0\.\d+\n$")

    def test_what_cannot_be_written(self):
        self.run_program("simulate", SMALL, "--policy", "edf-h", "--outcomes", "no/such/folder.csv",
                         status=3,
                         stderr="no/such/folder.csv: cannot be written: No such file or directory\n"
                                "Output files that are there are complete.\n")
        with open("/dev/full", "w", encoding="utf-8") as full:
            run = subprocess.run([program, "simulate", SMALL, "--policy", "edf-h"], stdout=full,
                                 stderr=subprocess.PIPE, text=True)
        self.assertEqual((run.returncode, run.stderr), (3, "cannot write to standard output\n"))


class Suite(Cli):
    """Scenario 3 of seed 1, and more where it takes several."""
    FEW = ["--policy", "edf-h,sjf:drop=early,fixed-plan", "--seeds", 2]
    ONE = ["suite", "--first", 3, "--scenarios", 1, *FEW]
    MEASURES = {"hit_rate", "worst_agreement", "met_share", "revenue"}

    def test_json_has_every_scenario_and_every_policy(self):
        suite = self.run_json(*self.ONE)
        self.assertEqual([scenario["name"] for scenario in suite["scenarios"]], ["suite-1-3"])
        scenario = suite["scenarios"][0]
        self.assertLessEqual(set(RUN) - {"per_agreement"}, set(scenario["runs"][0]))
        self.assertEqual([run["policy"] for run in scenario["runs"]],
                         ["edf-h", "edf-h", "sjf:drop=early", "sjf:drop=early"])
        self.assertEqual(list(suite["policies"]), ["edf-h", "sjf:drop=early", "fixed-plan"])
        for policy in suite["policies"].values():
            for key in "led", "may_lead", "within_1_point", "mean_behind", "losses", "rivals", "where":
                self.assertEqual(set(policy[key]), self.MEASURES)
        self.assertIn("needs a plan", suite["policies"]["fixed-plan"]["could_not_run"][0]["reason"])
        self.assertEqual(max(suite["policies"][name]["led"]["hit_rate"] for name in suite["policies"]),
                         1)

    def test_a_written_scenario_gives_the_same_runs(self):
        suite = self.run_json(*self.ONE, "--write", "drawn")
        self.assertEqual(self.files(), ["drawn"])
        alone = self.run_json("simulate", "drawn/suite-1-3.yaml", "--policy", "edf-h", "--seeds", 2)
        for key in "seed", "hits", "revenue", "makespan_ns", "agreements":
            self.assertEqual([run[key] for run in suite["scenarios"][0]["runs"][:2]],
                             [run[key] for run in alone["runs"]])
        self.assertEqual(suite["scenarios"][0]["config"], alone["config"])

    def test_a_scenario_does_not_depend_on_how_many_are_drawn(self):
        self.run_program("suite", "--scenarios", 3, "--policy", "edf-h", "--seeds", 1, "--write", "a")
        self.run_program("suite", "--first", 2, "--scenarios", 1, "--policy", "sjf", "--seeds", 1,
                         "--write", "b")
        self.assertEqual(self.read("a/suite-1-2.yaml"), self.read("b/suite-1-2.yaml"))

    def test_tuning_has_scenarios_of_its_own(self):
        self.run_program("suite", "--scenarios", 1, "--policy", "edf-h", "--seeds", 1, "--tuning",
                         "--write", "drawn")
        self.assertEqual(os.listdir(self.folder / "drawn"), ["tuning-1-1.yaml"])

    def test_the_table_names_all_and_says_where_they_lose(self):
        table = self.run_program(*self.ONE)
        for word in "edf-h ", "sjf:drop=early ", "Where each loses most", "fixed-plan could not run":
            self.assertIn(word, table)

    def test_the_page_is_the_same_each_time(self):
        (self.folder / "more.txt").write_text("# tuned\nsjf:wait=never\nedf-h\n", encoding="utf-8")
        for jobs in 1, 2:
            self.run_program(*self.ONE, "--jobs", jobs, "--report", "page.html", "--policy-file",
                             "more.txt")
            os.rename(self.folder / "page.html", self.folder / f"{jobs}.html")
        page = self.read("1.html").decode("utf-8")
        for word in "profile-hit_rate", "sjf:wait=never", "suite-1-3", "needs a plan":
            self.assertIn(word, page)
        self.assertEqual(page.replace("--jobs 1", "--jobs 2"), self.read("2.html").decode("utf-8"))


class Outcomes(Cli):
    def test_one_run(self):
        result = self.run_json("simulate", SMALL, "--policy", "edf-h:drop=early", "--outcomes",
                               "o.csv")
        self.assertEqual(self.files(), ["o.csv"])
        rows = self.outcomes("o.csv")
        self.assertEqual(list(rows[0]), ["request", "tenant", "network", "arrival_ns", "start_ns",
                                         "finish_ns", "deadline_ns", "outcome"])
        counted = [row for row in rows if int(row["arrival_ns"]) >= 2_000_000]  # after the warm-up
        run = result["runs"][0]
        for key, outcome in ("hits", "hit"), ("misses", "miss"), ("dropped", "dropped"), (
                "rejected", "rejected"):
            self.assertEqual(run[key], sum(row["outcome"] == outcome for row in counted), key)
        for row in rows:
            if row["outcome"] in ("hit", "miss"):
                arrival, start, finish = (int(row[k]) for k in ("arrival_ns", "start_ns",
                                                                "finish_ns"))
                self.assertLessEqual(arrival, start)
                self.assertLess(start, finish)
                in_time = finish - arrival <= int(row["deadline_ns"])
                self.assertEqual(row["outcome"], "hit" if in_time else "miss")
            else:
                self.assertEqual(row["finish_ns"], "")

    def test_several_runs(self):
        self.run_program("simulate", SMALL, "--policy", "edf-h,sjf:drop=early", "--seeds", 2,
                         "--outcomes", "o.csv", "--trace", "t.json", "--record", "r")
        runs = [f"{policy}.{seed}" for policy in ("edf-h", "sjf-drop-early") for seed in (3, 4)]
        self.assertEqual(self.files(), sorted(f"o.{run}.csv" for run in runs) + sorted(
            f"r.{run}" for run in runs) + sorted(f"t.{run}.json" for run in runs))

    def test_the_same_seed_gives_the_same_bytes(self):
        first, *others = [("--seed", 5), ("--seed", 5), ("--seed", 5, "--jobs", 2)]
        self.run_program("simulate", SMALL, "--policy", "random", "--outcomes", "o.csv", *first)
        bytes_then = self.read("o.csv")
        for other in others:
            self.run_program("simulate", SMALL, "--policy", "random", "--outcomes", "o.csv", *other)
            self.assertEqual(self.read("o.csv"), bytes_then)
        self.run_program("simulate", SMALL, "--policy", "random,sjf", "--outcomes", "many.csv",
                         "--seed", 3, "--seeds", 4, "--jobs", 2)
        self.assertEqual(self.read("many.random.5.csv"), bytes_then)
        self.assertNotEqual(self.read("many.random.6.csv"), bytes_then)


    def test_what_is_no_regular_file_is_never_replaced(self):
        (self.folder / "device").symlink_to("/dev/null")
        self.run_program("simulate", SMALL, "--policy", "edf-h", "--outcomes", "device")
        self.assertTrue((self.folder / "device").is_symlink())
        self.assertTrue((self.folder / "device").is_char_device())
        self.assertEqual(self.files(), ["device"])


class Import(Cli):
    def test_an_imported_trace_can_be_simulated(self):
        (self.folder / "azure.csv").write_text(
            "HashOwner,HashApp,HashFunction,Trigger,1,2\n"
            "ada,shop,pay,http,30,0\nbob,blog,read,timer,5,5\n", encoding="utf-8")
        text = self.run_program("import", "azure-functions-2019", "azure.csv", "--networks",
                                "chain,fork", "--speedup", 1000, "--out", "requests.csv")
        self.assertRegex(text, r"^40 requests of 2 tenants, 2 agreements, the last one after 0\.\d+ s")
        self.assertEqual(self.files(), ["azure.csv", "requests.csv"])
        run, = self.run_json("simulate", "--profile", HERE / "small.csv", "--requests",
                             "requests.csv", "--policy", "edf-h")["runs"]
        self.assertEqual({(a["tenant"], a["network"], a["requests"]) for a in run["per_agreement"]},
                         {("ada", "chain", 30), ("bob", "fork", 10)})

    def test_jobs_and_tasks(self):
        (self.folder / "jobs.csv").write_text(
            "j1,i1,ada,Terminated,1000.5,\nj2,i2,bob,Waiting,,\n", encoding="utf-8")
        (self.folder / "tasks.csv").write_text(
            "j1,worker,1.0,Terminated,1001.0,,,,,T4\nj1,ps,1.0,Terminated,1002.0,,,,,CPU\n",
            encoding="utf-8")
        jobs = ["import", "alibaba-pai-2020", "jobs.csv", "--networks", "x,y", "--out", "r.csv"]
        self.assertEqual(self.run_program(*jobs),
                         "1 requests of 1 tenants, 1 agreements, the last one after 0.000 s\n"
                         "1 records were left out: they have no start or no job\n")
        self.run_program(*jobs, "--tasks", "tasks.csv", "--deadline", "1s")
        self.assertEqual(self.read("r.csv").decode(),
                         "request,arrival_ns,tenant,network,deadline_ns,priority\n"
                         "0,0,ada,x,1000000000,1\n1,1000000000,ada,y,1000000000,1\n")

    def test_what_cannot_be_written(self):
        (self.folder / "jobs.csv").write_text("", encoding="utf-8")
        self.run_program("import", "alibaba-pai-2020", "jobs.csv", "--networks", "x", "--out",
                         "no/such/folder.csv", status=3,
                         stderr="no/such/folder.csv: cannot be written: No such file or directory\n")


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


class Trace(Cli):
    def test_it_is_json_with_a_track_for_each_accelerator(self):
        self.run_program("simulate", SMALL, "--policy", "edf-h", "--trace", "t.json")
        trace = json.loads(self.read("t.json"))
        events = trace["traceEvents"] if isinstance(trace, dict) else trace
        names = {event["args"]["name"] for event in events
                 if event["ph"] == "M" and event["name"] == "thread_name"}
        self.assertLessEqual({"x.0", "x.1", "y"}, names)
        self.assertGreater(sum(event["ph"] in "XB" for event in events), 100)


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
                                 "--record", "run.rec")["runs"]
            self.assertGreater(run["requests"], 50)
            self.assertEqual(run["hits"] + run["misses"], run["requests"])
            self.assertGreater(run["busy"]["plain"], 0)
            self.assertTrue(self.run_json("replay", "run.rec")["identical"])


class Recording(Cli):
    def record(self, *arguments):
        self.run_program("simulate", SMALL, "--record", "run.rec", *arguments)
        return self.read("run.rec").decode()

    def test_replay_finds_the_same_decisions(self):
        for policy in "edf-h", "random:drop=early":
            self.record("--policy", policy)
            self.assertIn("every decision is the same", self.run_program("replay", "run.rec"))
            report = self.run_json("replay", "run.rec")
            self.assertTrue(report["identical"])
            self.assertEqual(report["policy_now"], policy)
            self.assertGreater(report["decisions"], 100)

    def test_a_plan_travels_with_the_recording(self):
        self.run_program("simulate", *BARE, "--plan", HERE / "plan.csv", "--record", "plan.rec")
        self.assertTrue(self.run_json("replay", "plan.rec")["identical"])

    def test_a_live_run_replays(self):
        self.record("--policy", "sjf", "--live", "sleep")
        self.assertTrue(self.run_json("replay", "run.rec")["identical"])

    def test_tampering_is_found(self):
        text = self.record("--policy", "edf-h")
        start = text.index("\n> ", text.index("\n@ "))  # the first decision, on another accelerator
        accelerator = text[start + 3]
        other = "1" if accelerator == "0" else "0"
        changed = text[:start + 3] + other + text[start + 4:]
        (self.folder / "changed.rec").write_text(changed, encoding="utf-8")
        self.assertIn("differs", self.run_program("replay", "changed.rec", status=1))
        report = self.run_json("replay", "changed.rec", status=1)
        self.assertFalse(report["identical"])
        self.assertLessEqual({"at_ns", "decision", "what", "recorded", "replayed"},
                             set(report["difference"]))

        (self.folder / "cut.rec").write_text(text[:len(text) // 2], encoding="utf-8")
        for arguments in ("replay", "cut.rec"), ("why", "cut.rec", 0):
            self.assertEqual(self.run_program(*arguments, status=2, stderr=None), "")

    def test_why(self):
        self.run_program("simulate", SMALL, "--policy", "edf-h", "--record", "run.rec",
                         "--outcomes", "o.csv")
        for row in self.outcomes("o.csv")[:40:13]:
            text = self.run_program("why", "run.rec", row["request"])
            self.assertIn(row["tenant"], text)
            account = self.run_json("why", "run.rec", row["request"])
            self.assertEqual((account["tenant"], account["network"], account["outcome"]),
                             (row["tenant"], row["network"], row["outcome"]))
            self.assertEqual(account["end_ns"], int(row["finish_ns"]))
            parts = sum(account[key] for key in ("admission_ns", "waited_ns", "alone_ns",
                                                 "switching_ns", "slowed_ns", "lost_ns"))
            self.assertEqual(parts, account["end_ns"] - account["arrival_ns"])
            self.assertIn(account["verdict"], text)


class Check(Cli):
    def test_it_says_what_the_scenario_has(self):
        text = self.run_program("check", SMALL)
        self.assertIn("3 tenants, 4 agreements, 2 networks, 3 accelerators, load 0.600", text)

    def test_the_shipped_scenarios(self):
        for path in sorted((HERE.parent.parent / "scenarios").glob("*.yaml")):
            self.run_program("check", path)


class Cost(unittest.TestCase):
    def cost(self, *arguments):
        run = subprocess.run([program, "cost", *arguments], timeout=600, capture_output=True,
                             text=True)
        self.assertEqual(run.returncode, 0, run.stderr)
        return run.stdout

    def test_the_table_has_totals_and_explains_itself(self):
        table = self.cost("resnet50", "--on", "simba,gemmini")
        self.assertRegex(table, r"simba +6\.\d+ +64\.\d+")
        self.assertIn("bound: what it waits for", table)

    def test_csv_has_a_row_for_each_layer_and_accelerator(self):
        rows = list(csv.DictReader(self.cost("alexnet", "--on", "simba,eyeriss", "-o",
                                             "csv").splitlines()))
        self.assertEqual(list(rows[0]), ["network", "layer", "accelerator", "latency_ns",
                                         "dram_bytes", "energy_pj", "utilisation"])
        self.assertEqual(len(rows), 2 * 11)
        fc8 = [row for row in rows if row["layer"] == "fc8" and row["accelerator"] == "simba"]
        self.assertEqual(fc8[0]["latency_ns"], "256319")

    def test_json_adds_up(self):
        (network,) = json.loads(self.cost("alexnet", "--on", "gemmini", "-o", "json"))
        total = sum(layer["costs"]["gemmini"]["latency_ns"] for layer in network["layers"])
        self.assertEqual(network["totals"]["gemmini"]["latency_ns"], total)

    def test_what_cannot_run_has_no_cost(self):
        (network,) = json.loads(self.cost("yolo-v3", "--on", "xavier-dla", "-o", "json"))
        resize = [layer for layer in network["layers"] if layer["kind"] == "resize"]
        self.assertEqual([layer["costs"]["xavier-dla"] for layer in resize], [None, None])

    def test_layers_by_shape(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "layers.csv")
            path.write_text("network,layer,kind,n,k,c,p,q,r,s,stride,groups\n"
                            "net,a,conv,1,64,3,112,112,7,7,2,1\n", encoding="utf-8")
            rows = self.cost("--layers", str(path), "--on", "simba", "-o", "csv").splitlines()
        self.assertEqual(rows[1].split(",")[:4], ["net", "a", "simba", "614656"])

    def test_a_batch_shares_weights(self):
        def traffic(batch):
            (network,) = json.loads(self.cost("vgg16", "--on", "simba", "--batch", batch, "-o",
                                              "json"))
            return network["totals"]["simba"]["dram_read_bytes"]
        self.assertLess(traffic("4"), 4 * traffic("1"))

    def test_a_page_of_rooflines(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "page.html")
            self.cost("resnet50", "--on", "simba,cpu", "--html", str(path))
            page = path.read_text(encoding="utf-8")
        self.assertEqual(page.count("<svg"), 2)
        self.assertFalse("http://" in page or "https://" in page)

    def test_a_description_is_a_start_for_another(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "mine.yaml")
            text = subprocess.run([program, "accelerators", "simba"], capture_output=True,
                                  text=True, timeout=600, check=True).stdout
            path.write_text(text.replace("name: simba", "name: mine"), encoding="utf-8")
            costs = self.cost("alexnet", "--on", f"simba,{path}", "-o", "json")
        (network,) = json.loads(costs)
        self.assertEqual(network["totals"]["simba"], network["totals"]["mine"])


class Profile(Cli):
    """Real measurements of tiny networks: what is written, not how long anything takes."""

    ONNX = HERE.parent / "fuzz" / "corpus" / "onnx"

    def setUp(self):
        super().setUp()
        cores = sorted(os.sched_getaffinity(0))
        self.both = len(cores) > 1
        self.partitions = "1,1" if self.both else "1"

    def profile(self, *arguments, **expected):
        with unittest.mock.patch.dict(os.environ, XDG_CACHE_HOME=str(self.folder)):
            return self.run_program("profile", self.ONNX / "gate.onnx",
                                    self.ONNX / "classifier.onnx", "--out", "measured", "--quick",
                                    "--repetitions", 1, "--coruns", 4, "--mixes", 2,
                                    "--partitions", self.partitions, *arguments, **expected)

    def rows(self, name):
        with open(self.folder / "measured" / name, newline="", encoding="utf-8") as file:
            return list(csv.DictReader(file))

    def test_the_profile_has_all_operators_on_all_partitions(self):
        self.profile()
        rows = self.rows("profile.csv")
        self.assertEqual({row["network"] for row in rows}, {"gate", "classifier"})
        self.assertEqual({row["accelerator"] for row in rows},
                         {"p0", "p1"} if self.both else {"p0"})

    def test_all_batch_sizes_are_in_the_profile(self):
        self.profile("--batch", "4,1")
        self.assertEqual({row["batch"] for row in self.rows("profile.csv")}, {"1", "4"})

    def test_a_mix_stands_in_all_tables(self):
        if not self.both:
            self.skipTest("there is one core only")
        self.profile()
        self.assertEqual(len(self.rows("mixes.csv")), 3)  # one twice
        self.assertEqual(list(self.rows("mixes.csv")[0]), ["p0", "p1", "us_p0", "us_p1"])
        self.assertEqual(list(self.rows("corun.csv")[0]),
                         ["layer_id", "partition", "on_p0", "on_p1", "us"])

    def test_the_next_commands_run(self):
        table = self.profile()
        commands = re.findall(r"^  fairlead (.*)$", table, re.MULTILINE)
        self.assertEqual(len(commands), 3 if self.both else 2)
        with unittest.mock.patch.dict(os.environ, XDG_CACHE_HOME=str(self.folder)):
            for command in commands:
                self.run_program(*command.split())

    def test_json_is_the_summary(self):
        summary = json.loads(self.profile("-o", "json"))
        self.assertEqual(summary, json.loads(self.read("measured/summary.json")))
        self.assertEqual(len(summary["alone"]), 4 if self.both else 2)
        self.assertGreater(summary["bandwidth_bytes_per_s"], 0)

    def test_what_cannot_be_written(self):
        (self.folder / "measured").write_text("a file\n", encoding="utf-8")
        self.profile(status=2, stderr="measured: cannot be made: Not a directory\n")


if __name__ == "__main__":
    program = str(Path(sys.argv.pop(1)).resolve())
    unittest.main()
