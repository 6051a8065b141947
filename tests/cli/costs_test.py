#!/usr/bin/env python3
"""The program from outside: cost and profile, what layers cost by models and by measuring.

    costs_test.py path/to/fairlead

What is wrong input, and what the program says about it, is tests/bad_input's.
"""

import csv
import json
import os
import re
import subprocess
import tempfile
import unittest
import unittest.mock
from pathlib import Path

from cli_program import ONNX, PROGRAM, Cli, main, no_core_left


class CostAsProfile(Cli):
    def test_it_is_read_back_as_it_was(self):
        costs = self.run_program("cost", "googlenet", "--on", "simba,eyeriss", "-o", "profile")
        (self.folder / "p.csv").write_text(costs, encoding="utf-8")
        figures = []
        for networks in "{segments: layers}", "{segments: layers, profile: p.csv}":
            (self.folder / "s.yaml").write_text(
                f"horizon: 1s\nload: 0.9\nnetworks: {networks}\n"
                "platform: {accelerators: [{kind: simba}, {kind: eyeriss}]}\n"
                "tenants: [{networks: [googlenet]}]\n", encoding="utf-8")
            run, = self.run_json("simulate", "s.yaml", "--policy", "edf-h")["runs"]
            figures.append([run["requests"], run["hits"], run["latency"], run["energy_j"]])
        self.assertGreater(figures[0][0], 10)
        self.assertEqual(*figures)

    def test_of_one_input_at_a_time(self):
        self.run_program("cost", "alexnet", "--on", "simba", "-o", "profile", "--batch", 2, status=2,
                         stderr="-o profile is of one input at a time; leave --batch out\n")

    def test_units_that_are_not_there(self):
        self.run_program("cost", "alexnet", "--on", "simba", "--units", 4, status=2,
                         stderr="--units 4: 'simba' has one, which cannot be divided\n")


class Cost(unittest.TestCase):
    def cost(self, *arguments):
        run = subprocess.run([PROGRAM, "cost", *arguments], timeout=600, capture_output=True,
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
        self.assertEqual(page.count("<svg"), 3)  # each, and both in one frame
        self.assertFalse("http://" in page or "https://" in page)

    def test_a_description_is_a_start_for_another(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "mine.yaml")
            text = subprocess.run([PROGRAM, "accelerators", "simba"], capture_output=True,
                                  text=True, timeout=600, check=True).stdout
            path.write_text(text.replace("name: simba", "name: mine"), encoding="utf-8")
            costs = self.cost("alexnet", "--on", f"simba,{path}", "-o", "json")
        (network,) = json.loads(costs)
        self.assertEqual(network["totals"]["simba"], network["totals"]["mine"])


class Profile(Cli):
    """Real measurements of tiny networks: what is written, not how long anything takes."""


    def setUp(self):
        super().setUp()
        cores = sorted(os.sched_getaffinity(0))
        self.both = len(cores) > 1
        self.partitions = "1,1" if self.both else "1"

    def profile(self, *arguments, **expected):
        expected.setdefault("stderr", no_core_left(2 if self.both else 1))
        with unittest.mock.patch.dict(os.environ, XDG_CACHE_HOME=str(self.folder)):
            return self.run_program("profile", ONNX / "gate.onnx",
                                    ONNX / "classifier.onnx", "--out", "measured", "--quick",
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
        commands = re.findall(r"^  \S+ (simulate .*)$", table.replace("\\\n", ""), re.MULTILINE)
        self.assertEqual(len(commands), 3 if self.both else 2)
        with unittest.mock.patch.dict(os.environ, XDG_CACHE_HOME=str(self.folder)):
            for command in commands:
                live = "--live" in command
                self.run_program(*command.split(), stderr=None if live else "")

    def test_json_is_the_summary(self):
        summary = json.loads(self.profile("-o", "json"))
        self.assertEqual(summary, json.loads(self.read("measured/summary.json")))
        self.assertEqual(len(summary["alone"]), 4 if self.both else 2)
        self.assertGreater(summary["bandwidth_bytes_per_s"], 0)

    def test_what_cannot_be_written(self):
        (self.folder / "measured").write_text("a file\n", encoding="utf-8")
        self.profile(status=2, stderr="measured: cannot be made: Not a directory\n")


if __name__ == "__main__":
    main()
