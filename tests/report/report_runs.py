"""Reports for the tests of this folder."""

import subprocess
from pathlib import Path

HOSTILE = str(Path(__file__).resolve().parent / "hostile.yaml")
# Fifteen, some with long names.
POLICIES = ",".join(
    rule + options
    for rule in ("fcfs-h", "edf-h", "sjf", "least-laxity", "round-robin")
    for options in ("", ":drop=early", ":drop=early;wait=never"))


def run_verb(program, folder, *arguments):
    return subprocess.run([program, *map(str, arguments)], cwd=folder, timeout=550,
                          stdin=subprocess.DEVNULL, capture_output=True, text=True)


def simulate(program, folder, *arguments):
    return run_verb(program, folder, "simulate", *arguments)


def make_report(program, folder, *arguments):
    """The path of a report on the hostile scenario."""
    run = simulate(program, folder, HOSTILE, "--report", "report.html", *arguments)
    if run.returncode != 0:
        raise RuntimeError(run.stderr)
    return Path(folder) / "report.html"


def make_suite_page(program, folder, *arguments):
    """The path of a page on two scenarios of the suite."""
    run = run_verb(program, folder, "suite", "--scenarios", 2, "--seeds", 1, "--report",
                   "report.html", *arguments)
    if run.returncode != 0:
        raise RuntimeError(run.stderr)
    return Path(folder) / "report.html"
