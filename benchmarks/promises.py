#!/usr/bin/env python3
"""What the house policy keeps: the table of docs/policies/fairlead.md, made anew.

    benchmarks/promises.py PROGRAM [--policy fairlead] [--seeds 10] [--first-seed 1] [--jobs N] [--only WORD] [--quick]

Each row runs a shipped scenario, or one changed as the row says, under the policy and those it is compared with,
and prints mean and 95 % interval over seeds beside what was asked. Seeds from 1 on are for reporting: choose
nothing on them. --quick cuts all horizons to a fifth and takes two seeds, to see that it works. About 100 minutes
of one core in all; rows run side by side on N processors, four each.
"""

import argparse
import concurrent.futures
import json
import re
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "tools"))
from estimates import mean_and_interval  # noqa: E402

OTHER = [("eyeriss", "eyeriss-v2-64gb"), ("simba", "systolic-64gb"), ("bandwidth: 16GB/s", "bandwidth: 64GB/s")]
EDF = "edf-h:drop=early"


def group(run, name):
    """The agreements of tenants called so: `name`, or `name-12`."""
    return [one for one in run["per_agreement"] if re.fullmatch(rf"{name}(-\d+)?", one["tenant"])]


def rates(run, name):
    return [one["hit_rate"] for one in group(run, name)]


def jain(values):
    return sum(values) ** 2 / (len(values) * sum(v * v for v in values)) if any(values) else 1.0


FIGURES = {
    "overall %": lambda run: 100 * run["hit_rate"],
    "failures %": lambda run: 100 * (1 - run["hit_rate"]),
    "worst %": lambda run: 100 * run["agreements"]["min"],
    "kept %": lambda run: 100 * run["agreements"]["met_share"],
    "violations": lambda run: run["window_violations"],
    "revenue": lambda run: run["revenue"],
    "quiet %": lambda run: 100 * min(rates(run, "quiet")),
    "neighbours %": lambda run: 100 * statistics.mean(rates(run, "neighbour")),
    "worst neighbour %": lambda run: 100 * min(rates(run, "neighbour")),
    "flooder %": lambda run: 100 * min(rates(run, "noisy")),
    "promised kept %": lambda run: 100 * statistics.mean(bool(one["kept"]) for one in group(run, "promised")),
    "Jain of best effort": lambda run: jain(rates(run, "best-effort")),
}

NOISY = ["quiet %", "neighbours %", "worst neighbour %", "flooder %"]
WINDOW = [(r"target: \{zipf: .*\}", "window: 20\n    max_misses: 4")]
MAX_MIN = [("sharing: proportional", "sharing: max-min")]

# what was asked; scenario; changes to its text; options; figures; compared with
ROWS = [
    ("quiet 99, neighbours 97, flooder at its target of 80", "noisy-neighbour-contract", [], [], NOISY, []),
    ("the same with 5,000 a second", "noisy-neighbour-contract", [("rate: 500/s", "rate: 5000/s"), ("60s", "20s")], [],
     NOISY, []),
    ("the same on fairness's platform", "noisy-neighbour-contract", OTHER, [], NOISY, []),
    ("quiet and neighbours 95", "noisy-neighbour", [], [], NOISY, []),
    ("quiet and neighbours 95, on fairness's platform", "noisy-neighbour", OTHER, [], NOISY, []),
    ("kept 97, Jain 0.95, revenue above EDF's", "mixed", [], [], ["promised kept %", "Jain of best effort", "revenue"],
     [EDF]),
    ("the same on fairness's platform", "mixed", OTHER, [], ["promised kept %", "Jain of best effort", "revenue"], [EDF]),
    ("overall 88.5, worst 88", "fairness-simba-eyeriss", [], [], ["overall %", "worst %"], ["edf-share"]),
    ("no figure", "fairness", [], [], ["overall %", "worst %"], ["edf-share"]),
    ("failures of EDF and a tenth more, load 0.6", "fairness", [], ["--set", "load=0.6"], ["failures %"], [EDF]),
    ("failures of EDF and a tenth more, load 0.8", "fairness", [], ["--set", "load=0.8"], ["failures %"], [EDF]),
    ("kept 97 at load 1", "firm", [], ["--set", "load=1"], ["kept %"], ["edf-share"]),
    ("kept 97 at load 1.1", "firm", [], ["--set", "load=1.1"], ["kept %"], ["edf-share"]),
    ("kept 97 at load 1.25", "firm", [], ["--set", "load=1.25"], ["kept %"], ["edf-share"]),
    ("kept 90 at load 1.4", "firm", [], ["--set", "load=1.4"], ["kept %"], ["edf-share"]),
    ("kept 97 at load 1.1, Simba and Eyeriss", "firm-simba-eyeriss", [], ["--set", "load=1.1"], ["kept %"], ["edf-share"]),
    ("no more violations of (20, 4) than dbp", "firm", WINDOW, [], ["violations"], ["dbp:drop=early"]),
    ("kept 97", "portfolio", [], [], ["kept %"], ["edf-share"]),
    ("nobody above it on the worst", "churn", [], [], ["worst %"], ["dbp:drop=early", "edf-share", EDF]),
    ("nobody above it on the worst", "xeon", [], [], ["worst %", "kept %"], ["planaria:drop=early"]),
    ("nobody above it on the worst", "h200", [], [], ["worst %", "kept %"], ["edf-share", "deficit", EDF]),
    ("nobody above it on the worst, max-min", "fairness", MAX_MIN, [], ["worst %"], ["edf-share"]),
    ("nobody above it on the worst, max-min", "firm", MAX_MIN, [], ["worst %", "kept %"], ["edf-share"]),
]


PROCESSORS_OF_A_ROW = 4


def runs_of(options, scenario, changes, extra, policies):
    text = (ROOT / "scenarios" / f"{scenario}.yaml").read_text()
    for old, new in changes:
        text, count = re.subn(old, new, text)
        if not count:
            sys.exit(f"{scenario}: nothing there is called {old}")
    if options.quick:
        text = re.sub(r"(?m)^(horizon|warm_up): (\d+)s", lambda m: f"{m[1]}: {int(m[2]) * 200}ms", text)
    with tempfile.NamedTemporaryFile("w", suffix=".yaml", dir=ROOT / "scenarios", prefix=".promises-") as file:
        file.write(text)
        file.flush()
        result = subprocess.run(
            [options.program, "simulate", file.name, "--policy", ",".join(policies), "--seed", str(options.first_seed),
             "--seeds", str(options.seeds), "--jobs", str(min(options.jobs, PROCESSORS_OF_A_ROW)), "-o", "json", *extra],
            capture_output=True, text=True)
    if result.returncode not in (0, 1):
        sys.exit(result.stderr)
    return json.loads(result.stdout)["runs"]


def lines_of(options, asked, scenario, changes, extra, figures, rivals):
    """The table's lines of one row: one for each policy."""
    runs = runs_of(options, scenario, changes, extra, [options.policy, *rivals])
    lines = []
    for policy in dict.fromkeys(run["policy"] for run in runs):
        cells = []
        for figure in figures:
            mean, half = mean_and_interval([FIGURES[figure](run) for run in runs if run["policy"] == policy])
            cells.append(f"{figure} {mean:.4g}" + ("" if half is None else f" ± {half:.2g}"))
        lines.append(f"| {asked} | {scenario} | {policy} | {'; '.join(cells)} |")
    return lines


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--policy", default="fairlead")
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--first-seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--only", default="")
    parser.add_argument("--quick", action="store_true")
    options = parser.parse_args()
    if options.quick:
        options.seeds = min(options.seeds, 2)
    print("| asked | scenario | policy | measured |\n|---|---|---|---|", flush=True)
    rows = [row for row in ROWS if options.only in f"{row[0]} {row[1]}"]
    with concurrent.futures.ThreadPoolExecutor(max(1, options.jobs // PROCESSORS_OF_A_ROW)) as pool:
        for lines in pool.map(lambda row: lines_of(options, *row), rows):
            print(*lines, sep="\n", flush=True)


if __name__ == "__main__":
    main()
