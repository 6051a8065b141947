#!/usr/bin/env python3
"""The program from outside: what it writes, to whom, and what it never touches.

    outputs_test.py path/to/fairlead
"""

import os
import resource
import shutil
import subprocess
import unittest

from cli_program import BARE, HERE, PROGRAM, SMALL, Cli, main


class Targets(Cli):
    def simulate(self, *arguments, **expected):
        return self.run_program("simulate", SMALL, "--policy", "edf-h", *arguments, **expected)

    def test_two_programs_may_write_one_file(self):
        programs = [subprocess.Popen([PROGRAM, "simulate", SMALL, "--policy", policy, "--outcomes", "o.csv"],
                                     cwd=self.folder, stdout=subprocess.DEVNULL) for policy in ("edf-h", "sjf") * 4]
        self.assertEqual({program.wait() for program in programs}, {0})
        whole = self.read("o.csv")
        self.assertEqual(self.files(), ["o.csv"])
        alone = []
        for policy in "edf-h", "sjf":
            self.run_program("simulate", SMALL, "--policy", policy, "--outcomes", "alone.csv")
            alone.append(self.read("alone.csv"))
        self.assertIn(whole, alone)

    def test_pipes(self):
        table = self.simulate("--outcomes", "o.csv").splitlines()
        with open(SMALL, encoding="utf-8") as scenario:
            run = subprocess.run([PROGRAM, "simulate", "-", "--policy", "edf-h", "--outcomes", "-"], cwd=HERE,
                                 stdin=scenario, capture_output=True, check=True)
        self.assertEqual(run.stdout, self.read("o.csv"))
        self.assertEqual(len(run.stderr.decode().splitlines()), len(table))
        self.simulate("--seeds", 2, "--outcomes", "-", status=2,
                      stderr="standard output ('-') takes the file of one run; these are 2\n")

    def test_what_belongs_to_others_stays(self):
        (self.folder / "o.csv.part").write_text("mine", encoding="utf-8")
        (self.folder / "elsewhere").write_text("theirs", encoding="utf-8")
        (self.folder / "t.json.part").symlink_to("elsewhere")
        self.simulate("--outcomes", "o.csv", "--trace", "t.json")
        self.assertEqual(self.read("o.csv.part"), b"mine")
        self.assertEqual(self.read("elsewhere"), b"theirs")
        self.assertEqual(self.files(), ["elsewhere", "o.csv", "o.csv.part", "t.json", "t.json.part"])

    def test_a_link_stays_a_link(self):
        (self.folder / "link.csv").symlink_to("real.csv")
        self.simulate("--outcomes", "link.csv")
        self.assertTrue((self.folder / "link.csv").is_symlink())
        self.assertGreater(len(self.read("real.csv")), 1000)

    def test_two_outputs_are_two_files(self):
        end = "\nOutput files that are there are complete"
        self.simulate("--outcomes", "o.csv", "--trace", "./o.csv", status=3,
                      stderr=f"o.csv and ./o.csv are the same file{end}.\n")
        self.simulate("--outcomes", "o.html", "--report", "./o.html", status=3,
                      stderr=f"o.html: is the file of another output already{end}.\n")
        self.assertEqual(self.files(), [])

    def test_a_directory_is_noticed_before_anything_runs(self):
        (self.folder / "o.sjf.4.csv").mkdir()
        self.run_program("simulate", SMALL, "--policy", "edf-h,sjf", "--seeds", 2, "--outcomes", "o.csv", status=3,
                         stderr="o.sjf.4.csv: is a directory\nOutput files that are there are complete.\n")
        self.assertEqual(self.files(), ["o.sjf.4.csv"])


class Inputs(Cli):
    def setUp(self):
        super().setUp()
        for file in "small.yaml", "small.csv", "requests.csv":
            shutil.copy(HERE / file, self.folder)

    def refuse(self, file, *arguments, status=3):
        before = self.read(file)
        run = subprocess.run([PROGRAM, *arguments], cwd=self.folder, capture_output=True, text=True, timeout=600)
        self.assertEqual(run.returncode, status, run.stderr)
        self.assertIn("is an input, and would be overwritten", run.stderr)
        self.assertEqual(self.read(file), before)

    def test_no_output_overwrites_an_input(self):
        for output in "--outcomes", "--trace", "--record", "--books", "--report":
            self.refuse("small.yaml", "simulate", "small.yaml", "--policy", "edf-h", output, "./small.yaml")
        self.refuse("small.csv", "simulate", "small.yaml", "--policy", "edf-h", "--outcomes", "small.csv")
        self.refuse("requests.csv", "simulate", "--profile", "small.csv", "--requests", "requests.csv", "--policy",
                    "edf-h", "--outcomes", "requests.csv")
        (self.folder / "jobs.csv").write_text("j1,i1,ada,Terminated,1000.5,\n", encoding="utf-8")
        self.refuse("jobs.csv", "import", "alibaba-pai-2020", "jobs.csv", "--networks", "x", "--out", "jobs.csv")
        (self.folder / "mine.yaml").write_text(self.run_program("accelerators", "simba"), encoding="utf-8")
        self.refuse("mine.yaml", "cost", "alexnet", "--on", "mine.yaml", "--html", "mine.yaml", status=2)

    def test_books_may_go_on_in_place(self):
        self.run_program("simulate", "small.yaml", "--policy", "edf-h", "--books", "b.json")
        first = self.read("b.json")
        self.run_program("simulate", "small.yaml", "--policy", "edf-h", "--continue", "b.json", "--books", "b.json")
        self.assertNotEqual(self.read("b.json"), first)


@unittest.skipUnless(os.path.exists("/dev/full"), "no /dev/full")
class Full(Cli):
    VERBS = [("simulate", SMALL, "--policy", "edf-h"), ("simulate", SMALL, "--policy", "edf-h", "-o", "json"),
             ("policies",), ("policies", "-o", "json"), ("networks",), ("networks", "densenet121"),
             ("accelerators",), ("accelerators", "simba"), ("check", SMALL), ("cost", "alexnet", "--on", "simba"),
             ("cost", "densenet121", "--on", "simba", "-o", "json"), ("--help",), ("simulate", "--help"),
             ("--version",), ("suite", "--scenarios", "1", "--seeds", "1", "--policy", "fcfs-h")]

    def test_nothing_is_lost_without_a_word(self):
        self.run_program("simulate", SMALL, "--policy", "edf-h", "--record", "r.rec")
        for verb in *self.VERBS, ("replay", "r.rec"), ("why", "r.rec", "1"):
            with open("/dev/full", "w", encoding="utf-8") as full:
                run = subprocess.run([PROGRAM, *verb], cwd=self.folder, stdout=full, stderr=subprocess.PIPE,
                                     text=True, timeout=600)
            self.assertEqual((verb, run.returncode), (verb, 3), run.stderr)
            self.assertRegex(run.stderr, "write")

    def test_complaints_that_nobody_hears_change_nothing(self):
        for status, verb in ((2, ("check", "no-such.yaml")), (2, ("simulate",)), (2, ("replay", SMALL)),
                             (0, ("check", SMALL))):
            with open("/dev/full", "w", encoding="utf-8") as full:
                run = subprocess.run([PROGRAM, *verb], cwd=self.folder, stdout=subprocess.DEVNULL, stderr=full,
                                     timeout=600)
            self.assertEqual((verb, run.returncode), (verb, status))

    def test_full_disks_leave_nothing_half(self):
        self.run_program("simulate", SMALL, "--policy", "edf-h", "--outcomes", "/dev/full", status=3,
                         stderr="/dev/full: cannot be written: is the disk full?\n"
                                "Output files that are there are complete.\n")


class Scarcity(Cli):
    """With little room: under sanitizers, which need all of it, nothing runs so."""

    def limited(self, room, *arguments, stack=8 << 20):
        def limit():
            resource.setrlimit(resource.RLIMIT_STACK, (stack, stack))  # of each thread too
            resource.setrlimit(resource.RLIMIT_AS, (room, room))

        # OpenBLAS, where it is installed as CBC's BLAS, waits at exit for threads that it could not begin.
        environment = dict(os.environ, OPENBLAS_NUM_THREADS="1")
        trial = subprocess.run([PROGRAM, "--version"], preexec_fn=limit, capture_output=True, check=False,
                               env=environment)
        if trial.returncode != 0:
            self.skipTest("the program itself needs more")
        return subprocess.run([PROGRAM, *arguments], cwd=self.folder, preexec_fn=limit, capture_output=True,
                              text=True, timeout=600, env=environment)

    def test_fewer_threads_than_were_asked_for(self):
        run = self.limited(1 << 30, "simulate", SMALL, "--policy", "edf-h,sjf", "--seeds", "4", "--jobs", "8",
                           stack=1 << 29)
        self.assertEqual(run.returncode, 0, run.stderr)

    def test_out_of_memory(self):
        (self.folder / "large.yaml").write_text(
            "horizon: 1h\nplatform: {accelerators: [{kind: simba}]}\n"
            "tenants: [{name: t, count: 1000, networks: [alexnet], rate: 20/s}]\n", encoding="utf-8")
        for jobs in "1", "2":
            run = self.limited(1 << 28, "simulate", "large.yaml", "--policy", "edf-h", "--seeds", "2", "--jobs", jobs,
                               "--outcomes", "o.csv")
            self.assertEqual(run.returncode, 3, run.stderr)
            self.assertIn("out of memory", run.stderr)
            self.assertEqual(self.files(), ["large.yaml"])


if __name__ == "__main__":
    main()
