#!/usr/bin/env python3
"""The program from outside: values from the command line, sweeps, requests and promises, agreements one
by one, why over many, the page of a sweep; what describes the program itself, and how wide it is.

    sweep_test.py path/to/fairlead
"""

import csv
import io
import json
import os
import shutil
import subprocess

from cli_program import HERE, PROGRAM, SMALL, Cli, main

os.environ["FAIRLEAD_COMMAND"] = "fairlead"  # in what it prints, wherever it lies

VERBS = ["simulate", "suite", "quote", "provision", "share", "replay", "why", "cut", "check", "cost", "profile",
         "import", "policies", "networks", "accelerators", "serve", "tenant", "agreement", "completion",
         "manual", "load", "experiment", "interference", "train", "assign"]


class Sweep(Cli):
    def simulate(self, *arguments, **expected):
        return self.run_program("simulate", SMALL, "--policy", "edf-h", *arguments, **expected)

    def rows(self, text):
        return list(csv.DictReader(io.StringIO(text)))

    def test_one_value_is_a_setting(self):
        result = json.loads(self.simulate("--set", "load=0.3", "-o", "json"))
        self.assertEqual(result["config"]["load"], 0.3)

    def test_values_share_the_last_ones_unit(self):
        result = json.loads(self.simulate("--set", "platform.bandwidth=2,4GB/s", "--set", "load=0.3,0.6",
                                          "-o", "json"))
        self.assertEqual(result["keys"], ["platform.bandwidth", "load"])
        self.assertEqual([tuple(point["set"].values()) for point in result["points"]],
                         [("2GB/s", "0.3"), ("2GB/s", "0.6"), ("4GB/s", "0.3"), ("4GB/s", "0.6")])
        alone = json.loads(self.simulate("--set", "load=0.3", "-o", "json"))
        self.assertEqual(result["points"][2]["runs"][0]["hits"], alone["runs"][0]["hits"])

    def test_a_sweep_as_csv_has_a_line_for_each_agreement(self):
        rows = self.rows(self.simulate("--set", "load=0.3,0.6", "--seeds", 2, "-o", "csv"))
        alone = self.rows(self.simulate("--set", "load=0.6", "--seeds", 2, "-o", "csv"))
        self.assertEqual({row["seed"] for row in alone}, {"3", "4"})
        self.assertEqual([row.pop("load") for row in rows],
                         ["0.3"] * len(alone) + ["0.6"] * len(alone))
        self.assertEqual(rows[len(alone):], alone)

    def test_several_scenarios_stand_in_one_report(self):
        shutil.copy(HERE / "small.csv", self.folder)
        other = (HERE / "small.yaml").read_text().replace("name: small", "name: other")
        (self.folder / "other.yaml").write_text(other.replace("load: 0.6", "load: 0.2"))
        text = self.simulate("other.yaml", "--report", "page.html")
        self.assertEqual([line.split()[0] for line in text.splitlines()[2:4]], ["small", "other"])
        self.assertIn("along scenario", (self.folder / "page.html").read_text())

    def test_objectives_hold_at_each_point(self):
        self.simulate("--set", "load=0.1,0.9", "--require", "hit_rate>=99.9%", status=1, stderr=None)

    def test_complains_of_what_does_not_go_together(self):
        for arguments in (["--set", "load"], ["--set", "load=1,1"], ["--set", "lod=1"],
                          ["--set", "load=0.1,0.2", "--trace", "t.json"],
                          ["--set", "load=0.1", "--set", "load=0.2"], [SMALL]):
            self.simulate(*arguments, status=2, stderr=None)
        self.assertEqual(self.files(), [])

    def test_loads_scale_rates(self):
        shutil.copy(HERE / "small.csv", self.folder)
        text = (HERE / "small.yaml").read_text().replace("load: 0.6\n", "")
        text = text.replace("share: 2", "rate: 3000/s").replace("target: 90%", "rate: 1000/s, target: 90%")
        (self.folder / "rates.yaml").write_text(text)
        self.run_program("simulate", "rates.yaml", "--policy", "edf-h", "--loads", "0.2,0.4", "--report",
                         "page.html")
        self.assertIn("at load 0.2", (self.folder / "page.html").read_text())


class Requests(Cli):
    def test_requests_take_the_place_of_a_scenarios(self):
        result = self.run_json("simulate", SMALL, "--policy", "edf-h", "--requests", HERE / "requests.csv",
                               "--set", "warm_up=0s")
        run = result["runs"][0]
        self.assertEqual(run["requests"], 3)
        self.assertEqual({(a["tenant"], a["target"]) for a in run["per_agreement"]},
                         {("ann", 0.9), ("bob", None)})

    def test_seeds_that_make_no_difference_have_no_intervals(self):
        text = self.run_program("simulate", "--profile", HERE / "small.csv", "--requests",
                                HERE / "requests.csv", "--policy", "edf-h", "--seeds", 3)
        self.assertNotIn("\u00b1", text)
        self.assertIn("All seeds came out alike", text)


class Agreements(Cli):
    def test_few_agreements_are_listed(self):
        text = self.run_program("simulate", SMALL, "--policy", "edf-h")
        self.assertIn("ann: chain", text)
        self.assertIn("lost to", text)

    def test_all_are_listed_when_asked_for(self):
        text = self.run_program("simulate", SMALL, "--set", "tenants.bob.count=20", "--policy", "edf-h")
        self.assertNotIn("bob-07: fork", text)
        text = self.run_program("simulate", SMALL, "--set", "tenants.bob.count=20", "--policy", "edf-h",
                                "-o", "wide")
        self.assertIn("bob-07: fork", text)

    def test_csv_has_what_json_has(self):
        rows = list(csv.DictReader(io.StringIO(
            self.run_program("simulate", SMALL, "--policy", "edf-h", "-o", "csv"))))
        run = self.run_json("simulate", SMALL, "--policy", "edf-h")["runs"][0]
        for row, agreement in zip(rows, run["per_agreement"], strict=True):
            for key in ("requests", "hits", "dropped", "rejected"):
                self.assertEqual(int(row[key]), agreement[key])
            self.assertEqual(int(row["latency_p99_ns"]), agreement["latency_p99"])
            lost = agreement["lost"]["late"] + sum(agreement["lost"].get("given_up", {}).values())
            self.assertEqual(lost, agreement["requests"] - agreement["hits"])


class Why(Cli):
    def setUp(self):
        super().setUp()
        self.run_program("simulate", SMALL, "--policy", "edf-h:drop=early", "--record", "run.rec",
                         "--outcomes", "o.csv")
        self.lost = [row for row in self.outcomes("o.csv") if row["outcome"] != "hit"]

    def test_counts_what_did_not_hit(self):
        many = self.run_json("why", "run.rec", "--worst", 3)
        self.assertEqual(many["missed"] + many["dropped"] + many["rejected"], len(self.lost))
        self.assertEqual(len(many["worst"]), 3)
        parts = [many[key + "_ns"] for key in ("admission", "waited", "alone", "switching", "going_on",
                                               "slowed", "lost")]
        self.assertEqual(sum(parts), many["total_ns"])

    def test_tells_of_one_what_why_tells_of_it(self):
        for account in self.run_json("why", "run.rec", "--worst", 2)["worst"]:
            self.assertEqual(account, self.run_json("why", "run.rec", account["request"]))

    def test_looks_at_a_tenant_or_an_outcome(self):
        of_ann = [row for row in self.lost if row["tenant"] == "ann" and row["outcome"] == "rejected"]
        many = self.run_json("why", "run.rec", "--tenant", "ann", "--outcome", "rejected")
        self.assertEqual((many["missed"], many["dropped"], many["rejected"]), (0, 0, len(of_ann)))
        self.run_program("why", "run.rec", "--tenant", "eve", status=2,
                         stderr="run.rec: no tenant is called 'eve'\n")


class Trace(Cli):
    def events(self, *arguments):
        self.run_program("simulate", SMALL, "--policy", "edf-h", "--trace", "t.json", *arguments)
        return json.loads((self.folder / "t.json").read_text())["traceEvents"]

    def test_a_window_leaves_out_the_rest(self):
        events = self.events("--trace-from", "7ms", "--trace-to", "9ms")
        slices = [event for event in events if event["ph"] == "X"]
        self.assertTrue(slices)
        self.assertTrue(all(e["ts"] <= 9000 and e["ts"] + e["dur"] >= 7000 for e in slices))
        self.assertIn("x.1 leaves", [event["name"] for event in events])
        self.assertNotIn("x.1 returns", [event["name"] for event in events])
        self.run_program("simulate", SMALL, "--trace", "t.json", "--trace-from", "9ms", "--trace-to", "7ms",
                         status=2, stderr="--trace-to lies before --trace-from\n")


class Itself(Cli):
    def test_help_fits_into_eighty_columns(self):
        texts = [self.run_program("--help"), self.run_program("policies"), self.run_program("policies", "edf-h"),
                 self.run_program("simulate", SMALL, "--policy", "all"), self.run_program("why", "--help")]
        texts += [self.run_program("help", verb) for verb in VERBS]
        for line in "\n".join(texts).splitlines():
            self.assertLessEqual(len(line), 80, line)

    def test_shells_know_every_verb_and_option(self):
        for shell in ("bash", "zsh", "fish"):
            text = self.run_program("completion", shell)
            for verb in VERBS:
                self.assertIn(verb, text)
            self.assertIn("trace-from", text)

    def test_bash_completes(self):
        (self.folder / "c.bash").write_text(self.run_program("completion", "bash"))
        def complete(*words):
            script = ("source c.bash; COMP_WORDS=(fairlead %s); COMP_CWORD=%d; _fairlead; "
                      "printf '%%s\\n' \"${COMPREPLY[@]}\"")
            quoted = " ".join(f"'{word}'" for word in words)
            return subprocess.run(["bash", "-c", script % (quoted, len(words))], cwd=self.folder, text=True,
                                  capture_output=True, check=True).stdout.split()
        self.assertEqual(complete("sim"), ["simulate"])
        self.assertEqual(complete("simulate", "x.yaml", "--trace-f"), ["--trace-from"])
        self.assertEqual(complete("simulate", "--policy", "edf-s"), ["edf-share"])

    def test_the_manual_is_a_manual_page(self):
        text = self.run_program("manual")
        self.assertTrue(text.startswith(".TH FAIRLEAD 1"))
        self.assertIn("\\-\\-trace\\-from", text)
        if shutil.which("man"):
            (self.folder / "fairlead.1").write_text(text)
            run = subprocess.run(["man", "-l", "--warnings", "fairlead.1"], cwd=self.folder, text=True,
                                 capture_output=True, check=True, env=dict(os.environ, MANPAGER="cat"))
            self.assertIn("simulate", run.stdout)

    def test_next_steps_use_the_command_that_was_typed(self):
        run = subprocess.run([PROGRAM, "policies"], capture_output=True, text=True, check=True,
                             env=dict(os.environ, FAIRLEAD_COMMAND="./run"))
        self.assertIn("`./run policies NAME`", run.stdout)

    def test_prints_no_colours_into_a_file(self):
        self.assertNotIn("\x1b", self.run_program("simulate", SMALL))


if __name__ == "__main__":
    main()
