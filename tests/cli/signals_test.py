#!/usr/bin/env python3
"""The program from outside: interrupted, and broken off.

    signals_test.py path/to/fairlead
"""

import ctypes
import json
import os
import signal
import subprocess
import time

from cli_program import PROGRAM, Cli, main

LONG = """
horizon: 20h
platform: {accelerators: [{kind: simba, count: 2}]}
load: 0.9
tenants: [{name: t, count: 3, networks: [alexnet], target: 50%}]
"""


class Interrupted(Cli):
    def setUp(self):
        super().setUp()
        (self.folder / "long.yaml").write_text(LONG, encoding="utf-8")

    def recorded(self):
        """Bytes of the recording so far. Files may have gone: outputs are tried before the run."""
        for path in self.folder.glob(".fairlead-*.part"):
            try:
                with open(path, "rb") as file:
                    if file.read(18) == b"fairlead-recording":
                        return path.stat().st_size
            except FileNotFoundError:
                pass
        return 0

    def interrupt(self, which, *arguments, thread=None):
        """Interrupts a run that has begun: its recording, under another name yet, grows. All of it, or a thread."""
        run = subprocess.Popen([PROGRAM, "simulate", "long.yaml", "--record", "r.rec", *arguments], cwd=self.folder,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        while self.recorded() < 200_000:
            self.assertIsNone(run.poll())
            time.sleep(0.01)
        if thread is None:
            run.send_signal(which)
        else:
            number = sorted(int(task) for task in os.listdir(f"/proc/{run.pid}/task"))[thread]
            self.assertEqual(ctypes.CDLL(None).tgkill(run.pid, number, which), 0)
        out, err = run.communicate(timeout=600)
        self.assertEqual(run.returncode, 128 + which, err)
        return out, err

    def check_files(self, *names):
        self.assertEqual(self.files(), sorted([*names, "long.yaml"]))
        for name in names:
            if name.endswith(".rec"):
                self.assertIn("every decision is the same", self.run_program("replay", name))

    def test_a_simulated_run_ends_with_what_it_has(self):
        for which in signal.SIGINT, signal.SIGTERM:
            out, err = self.interrupt(which, "--policy", "edf-h", "--outcomes", "o.csv", "--trace", "t.json",
                                      "--report", "page.html")
            self.assertIn("Partial: edf-h with seed 1 was interrupted after", out)
            self.assertEqual(err, "interrupted: 0 of 1 runs ended\n")
            self.check_files("o.csv", "page.html", "r.rec", "t.json")
            self.assertGreater(len(self.outcomes("o.csv")), 100)
            self.assertIn("was interrupted after", self.read("page.html").decode())
            json.loads(self.read("t.json"))

    def test_the_others_do_not_begin(self):
        out, err = self.interrupt(signal.SIGINT, "--policy", "edf-h,sjf", "--seeds", "3", "--jobs", "1", "-o", "json")
        run, = json.loads(out)["runs"]
        self.assertTrue(run["interrupted"])
        self.assertEqual(run["requests"], run["hits"] + run["misses"])
        self.assertEqual(err, "interrupted: 0 of 6 runs ended\n")
        self.check_files("r.edf-h.1.rec")

    def test_whichever_thread_meets_the_signal(self):
        for thread in 0, -1:
            self.interrupt(signal.SIGINT, "--policy", "edf-h", thread=thread)
            self.check_files("r.rec")

    def test_a_live_run_ends_with_what_it_has(self):
        out, _ = self.interrupt(signal.SIGINT, "--policy", "edf-h", "--live", "sleep", "--outcomes", "o.csv")
        self.assertIn("Partial", out)
        self.check_files("o.csv", "r.rec")

    def test_a_suite_ends_with_the_scenarios_that_ended(self):
        run = subprocess.Popen([PROGRAM, "suite", "--scenarios", "500", "--seeds", "1", "--policy", "fcfs-h,edf-h",
                                "--write", "drawn", "--report", "page.html"], cwd=self.folder, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, text=True)
        while len(list(self.folder.glob("drawn/*.yaml"))) < 3:
            self.assertIsNone(run.poll())
            time.sleep(0.01)
        run.send_signal(signal.SIGINT)
        out, err = run.communicate(timeout=600)
        self.assertEqual(run.returncode, 128 + signal.SIGINT, err)
        self.assertRegex(err, r"^interrupted: \d+ of 500 scenarios ended\n$")
        self.assertIn("partial: interrupted", out)
        self.check_files("drawn", "page.html")

    def test_without_a_run_it_just_ends(self):
        with subprocess.Popen([PROGRAM, "check", "/dev/stdin"], cwd=self.folder, stdin=subprocess.PIPE) as run:
            run.send_signal(signal.SIGTERM)
            self.assertEqual(run.wait(timeout=600), -signal.SIGTERM)


class BrokenOff(Cli):
    def test_what_a_failed_run_recorded_can_be_replayed(self):
        (self.folder / "endless.yaml").write_text(
            "horizon: 1ms\nplatform: {bandwidth: 1B/s, accelerators: [{kind: simba}]}\n"
            "tenants: [{name: t, networks: [vgg16], rate: 100000/s}]\n", encoding="utf-8")
        self.run_program("simulate", "endless.yaml", "--policy", "edf-h", "--record", "r.rec", "--outcomes", "o.csv",
                         status=3, stderr=None)
        self.assertEqual(self.files(), ["endless.yaml", "r.rec"])
        self.run_program("replay", "r.rec", status=2, stderr=None)
        self.assertIn("every decision is the same", self.run_program("replay", "r.rec", "--cut-off"))
        self.run_program("why", "r.rec", 0, "--cut-off")


if __name__ == "__main__":
    main()
