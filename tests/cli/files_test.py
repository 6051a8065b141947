#!/usr/bin/env python3
"""The program from outside: files that it writes and reads back.

    files_test.py path/to/fairlead

What is wrong input, and what the program says about it, is tests/bad_input's.
"""

import json

from cli_program import BARE, HERE, SMALL, Cli, main


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

    def test_books_go_on(self):
        def ended(file):
            agreements = json.loads((self.folder / file).read_text())["agreements"]
            return {(one["tenant"], one["network"]): sum(one["history"]["lifetime"].values()) for one in agreements}

        self.run_program("simulate", SMALL, "--policy", "edf-share", "--books", "monday.json")
        self.run_program("simulate", SMALL, "--policy", "edf-share", "--continue", "monday.json", "--books",
                         "tuesday.json")
        monday = ended("monday.json")
        self.assertEqual(ended("tuesday.json"), {names: 2 * count for names, count in monday.items()})

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
                         "1 request of 1 tenant, 1 agreement, the last one after 0.000 s\n"
                         "1 record left out: no start or no job\n")
        self.run_program(*jobs, "--tasks", "tasks.csv", "--deadline", "1s")
        self.assertEqual(self.read("r.csv").decode(),
                         "request,arrival_ns,tenant,network,deadline_ns,priority\n"
                         "0,0,ada,x,1000000000,1\n1,1000000000,ada,y,1000000000,1\n")

    def test_what_cannot_be_written(self):
        (self.folder / "jobs.csv").write_text("", encoding="utf-8")
        self.run_program("import", "alibaba-pai-2020", "jobs.csv", "--networks", "x", "--out",
                         "no/such/folder.csv", status=3,
                         stderr="no/such/folder.csv: cannot be written: No such file or directory\n")


class Trace(Cli):
    def test_it_is_json_with_a_track_for_each_accelerator(self):
        self.run_program("simulate", SMALL, "--policy", "edf-h", "--trace", "t.json")
        trace = json.loads(self.read("t.json"))
        events = trace["traceEvents"] if isinstance(trace, dict) else trace
        names = {event["args"]["name"] for event in events
                 if event["ph"] == "M" and event["name"] == "thread_name"}
        self.assertLessEqual({"x.0", "x.1", "y"}, names)
        self.assertGreater(sum(event["ph"] in "XB" for event in events), 100)


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
            self.assertIn(account["verdict"], " ".join(text.split()))  # it may be wrapped


if __name__ == "__main__":
    main()
