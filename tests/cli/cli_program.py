"""What the tests of the program from outside share: a folder of its own for each, and the program,
which is the first argument of each of them."""

import csv
import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
SMALL = str(HERE / "small.yaml")
ONNX = HERE.parent / "fuzz/corpus/onnx"
BARE = ["--profile", str(HERE / "small.csv"), "--requests", str(HERE / "requests.csv")]
PROGRAM = str(Path(sys.argv[1]).resolve())

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


def no_core_left(used):
    """What the program says on stderr where partitions take so many cores."""
    if used < len(os.sched_getaffinity(0)):
        return ""
    return ("The partitions take every core: the thread that lets requests in takes its time from "
            "them. Leave a core to it.\n")


class Cli(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def run_program(self, *arguments, status=0, stderr=""):
        """What the program prints; it exits with the status, and says on stderr just this."""
        run = subprocess.run([PROGRAM, *map(str, arguments)], cwd=self.folder, timeout=600,
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


def main():
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]])
