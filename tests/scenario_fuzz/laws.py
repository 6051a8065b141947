"""The laws that every run of every scenario obeys, checked from outside. A breach is a Finding."""

import csv
import json
import re
import resource
import signal
import subprocess
from collections import Counter

MEMORY = 4 << 30  # bytes of address space for the program
MOST_WORK = 60  # seconds of a processor; a run of these scenarios takes a tenth of one
LONGEST = 1800  # seconds, however busy the machine is: it stands still
REAL = {"decision_us", "wall_s", "segments_per_s"}  # real time, so not the same in every run

# Ends that a scenario can ask for.
KNOWN_ENDS = re.compile(r"does not end within 146 years")


class Finding(Exception):
    def __init__(self, law, what):
        super().__init__(f"{law}: {what}")
        self.law = law


class Refused(Exception):
    """The scenario is not valid after all."""


class Laws:
    def __init__(self, program, folder, memory=MEMORY):
        self.program = program
        self.folder = folder
        self.memory = memory  # 0: no limit

    def run(self, *arguments, interrupt_after=None, longest=LONGEST):
        """Status, output and complaints of the program; it never crashes and always ends."""
        def limit():
            if self.memory > 0:
                resource.setrlimit(resource.RLIMIT_AS, (self.memory, self.memory))
            resource.setrlimit(resource.RLIMIT_CPU, (MOST_WORK, MOST_WORK + 5))

        process = subprocess.Popen([self.program, *map(str, arguments)], cwd=self.folder, text=True,
                                   stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   preexec_fn=limit, errors="replace")
        interrupted = False
        try:
            if interrupt_after is not None:
                try:
                    process.wait(interrupt_after)
                except subprocess.TimeoutExpired:
                    interrupted = True
                    process.send_signal(signal.SIGINT)
            out, err = process.communicate(timeout=longest)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            raise Finding("it ends", f"not within {longest} s: {' '.join(map(str, arguments))}") from None
        status = process.returncode
        if status == -signal.SIGXCPU:
            raise Finding("it ends", f"not within {MOST_WORK} s: {' '.join(map(str, arguments))}")
        expected = (0, 1, 2, 3, *([128 + signal.SIGINT, -signal.SIGINT] if interrupted else []))
        if status not in expected:
            raise Finding("it never crashes", f"status {status}: {err[-2000:]}")
        return status, out, err

    def write(self, draw, name="scenario.yaml"):
        for file, text in draw.files.items():
            (self.folder / file).write_text(text, encoding="utf-8")
        (self.folder / name).write_text(draw.text(), encoding="utf-8")

    def outcomes(self, name):
        with open(self.folder / name, newline="", encoding="utf-8") as file:
            return list(csv.DictReader(file))

    def path(self, stem, policy, seed, policies, ending):
        if len(policies) == 1:
            return stem + ending
        return f"{stem}.{re.sub('[:;=]', '-', policy)}.{seed}{ending}"

    def check(self, draw):
        """All laws of simulated runs."""
        self.write(draw)
        for old in self.folder.glob("[ort].*"):
            old.unlink()
        status, _, err = self.run("check", "scenario.yaml")
        if status == 2:
            raise Refused(err)
        if status != 0:
            raise Finding("what check reads runs", err)
        # What the program names its files after is the canonical spelling.
        status, out, err = self.run("simulate", "scenario.yaml", "--policy", ",".join(draw.policies), "--seed",
                                    draw.seed, "--jobs", 1, "--outcomes", "o.csv", "--record", "r.rec", "-o", "json")
        if status == 2:
            raise Refused(err)
        if status == 3 and KNOWN_ENDS.search(err):
            return
        if status not in (0, 1):
            raise Finding("it can go on", err[-4000:])
        runs = json.loads(out)["runs"]
        policies = [run["policy"] for run in runs]
        arrived = None
        for run in runs:
            rows = self.outcomes(self.path("o", run["policy"], run["seed"], policies, ".csv"))
            self.check_run(run, rows, draw)
            mine = [tuple(row[key] for key in ("request", "tenant", "network", "arrival_ns", "deadline_ns"))
                    for row in rows]
            mine.sort()
            if arrived is not None and mine != arrived:
                raise Finding("who asks does not depend on the policy", run["policy"])
            arrived = mine
            recording = self.path("r", run["policy"], run["seed"], policies, ".rec")
            status, out, err = self.run("replay", recording)
            if status != 0:
                raise Finding("the recording replays", f"{run['policy']}: {out}{err}"[-3000:])
        self.check_again(draw, policies, runs)

    def check_run(self, run, rows, draw):
        policy = run["policy"]
        if len({row["request"] for row in rows}) != len(rows):
            raise Finding("every request ends once", policy)
        if run["requests"] != run["hits"] + run["misses"] + run["dropped"] + run["rejected"]:
            raise Finding("every request has one end", policy)
        counted = Counter(row["outcome"] for row in rows
                          if int(row["arrival_ns"]) >= int(draw.scenario.get("warm_up", "0ns")[:-2]))
        for key, outcome in ("hits", "hit"), ("misses", "miss"), ("dropped", "dropped"), ("rejected", "rejected"):
            if counted[outcome] != run[key]:
                raise Finding("figures are those of the outcomes", f"{policy}: {key} {run[key]} {counted}")
        for row in rows:
            start, finish = row["start_ns"], row["finish_ns"]
            if start and int(start) < int(row["arrival_ns"]) or finish and int(finish) < int(start):
                raise Finding("time goes forward", f"{policy}: {row}")
            if finish:
                in_time = int(finish) - int(row["arrival_ns"]) <= int(row["deadline_ns"])
                if row["outcome"] != ("hit" if in_time else "miss"):
                    raise Finding("a hit is in time", f"{policy}: {row}")
        bounds = run.get("bounds") or {}
        if bounds.get("hit_rate") is not None and run["hit_rate"] is not None:
            if run["hit_rate"] > bounds["hit_rate"] + 1e-9:
                raise Finding("no bound is exceeded", f"{policy}: {run['hit_rate']} > {bounds['hit_rate']}")

    def check_again(self, draw, policies, runs):
        """The same seed gives the same bytes; lists in another order the same ends."""
        if "real" in json.dumps(draw.scenario.get("guard", {})) + json.dumps(draw.scenario.get("changes", [])):
            return
        policy, seed = runs[0]["policy"], runs[0]["seed"]
        if len(policies) > 1:
            before = (self.folder / self.path("o", policy, seed, policies, ".csv")).read_bytes()
            recorded = (self.folder / self.path("r", policy, seed, policies, ".rec")).read_bytes()
            self.run("simulate", "scenario.yaml", "--policy", policy, "--seed", draw.seed, "--outcomes", "again.csv",
                     "--record", "again.rec")
            if (self.folder / "again.csv").read_bytes() != before:
                raise Finding("the same seed gives the same bytes", policy)
            if (self.folder / "again.rec").read_bytes() != recorded:
                raise Finding("the same seed gives the same recording", policy)
        if "tenants" not in draw.scenario or not isinstance(draw.scenario["platform"], dict):
            return
        permuted = json.loads(json.dumps(draw.scenario))
        permuted["tenants"].reverse()
        permuted["platform"]["accelerators"].reverse()
        for group in permuted["tenants"]:
            group["networks"].reverse()
        (self.folder / "permuted.yaml").write_text(json.dumps(permuted), encoding="utf-8")
        status, _, err = self.run("simulate", "permuted.yaml", "--policy", policy, "--seed", draw.seed, "--outcomes",
                                  "permuted.csv")
        if status not in (0, 1):
            raise Finding("lists in another order run", err[-2000:])

        def ends(name):
            return sorted(tuple(value for key, value in row.items() if key != "request") for row in self.outcomes(name))
        if ends("permuted.csv") != ends(self.path("o", policy, seed, policies, ".csv")):
            raise Finding("lists in another order give the same ends", policy)

    def check_live(self, draw, interrupt_after):
        """A live run that is interrupted, or not: it ends, and its recording replays."""
        self.write(draw)
        policy = draw.policies[0]
        status, _, err = self.run("simulate", "scenario.yaml", "--live", "sleep", "--policy", policy, "--seed",
                                  draw.seed, "--outcomes", "live.csv", "--record", "live.rec",
                                  interrupt_after=interrupt_after)
        if status == 2:
            raise Refused(err)
        if status == 3 and "out of memory" in err:
            return  # each unit of an accelerator is a thread, and has a stack
        if status == 3 or status < 0 and interrupt_after > 1:
            raise Finding("a live run goes on, and ends when asked to", f"{policy}: {status} {err[-2000:]}")
        if status < 0:
            return  # it had not begun
        rows = self.outcomes("live.csv")
        if len({row["request"] for row in rows}) != len(rows):
            raise Finding("every request ends once, live", policy)
        status, out, err = self.run("replay", "live.rec")
        if status != 0:
            raise Finding("the recording of a live run replays", f"{policy}: {out}{err}"[-3000:])
        if list(self.folder.glob(".fairlead-*")):
            raise Finding("nothing is left behind", policy)
