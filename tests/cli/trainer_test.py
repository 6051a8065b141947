#!/usr/bin/env python3
"""fairlead-train from outside: killed at any moment, it goes on from what is on the disk.

    trainer_test.py path/to/fairlead-train
"""

import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

TRAINER = Path(sys.argv.pop(1)).resolve()
SCENARIO = """
name: small
horizon: 300ms
platform:
  bandwidth: 64GB/s
  accelerators: [{kind: simba, count: 1}, {kind: eyeriss, count: 1}]
deadlines: {factor: 4}
load: 1.1
tenants:
  - {name: sure, count: 4, networks: [alexnet, resnet50], networks_each: 1, target: 80%}
"""
SMALL = {"hidden": 16, "imitation.batch": 16, "rounds.runs": 2, "rounds.decisions": 60, "rounds.steps": 2,
         "rounds.evaluation": 1, "evaluation.seeds": 1, "rounds.imitation": 100000}


class Killed(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        (self.folder / "small.yaml").write_text(SCENARIO)

    def begin(self, **settings):
        words = [TRAINER, "small.yaml", "--learner", "rl-sla", "--out", "w", "--horizon", "100ms", "--warm-up", "10ms",
                 "--threads", "2"]
        for name, value in {**SMALL, **settings}.items():
            words += ["--set", f"{name}={value}"]
        return subprocess.Popen(words, cwd=self.folder, stderr=subprocess.PIPE, text=True)

    def rounds(self):
        """Of the curve on the disk."""
        lines = (self.folder / "w.csv").read_text().splitlines()
        return [int(line.split(",")[0]) for line in lines[1:]]

    def test_it_goes_on_after_each_kill(self):
        done = 0
        for _ in range(4):
            run = self.begin()
            deadline = time.monotonic() + 300
            while time.monotonic() < deadline:  # at another moment of its work each time
                time.sleep(0.05)
                if (self.folder / "w.csv").exists() and self.rounds()[-1:] > [done + 1]:
                    break
            self.assertIsNone(run.poll(), "it ended by itself")
            run.send_signal(signal.SIGKILL)
            told = run.communicate()[1]
            if done > 0:
                self.assertIn("goes on after round", told)
            rounds = self.rounds()
            self.assertEqual(rounds, sorted(set(rounds)), "a curve without gaps and doublets")
            self.assertGreater(rounds[-1], done)
            done = rounds[-1]
        # The end of it, and weights that can be judged.
        run = self.begin(**{"rounds.imitation": done + 3})
        self.assertIn("best score", run.communicate(timeout=300)[1])
        self.assertEqual(run.returncode, 0)
        judged = subprocess.run([TRAINER, "small.yaml", "--learner", "rl-sla", "--judge", "w", "--horizon", "100ms",
                                 "--warm-up", "10ms"], cwd=self.folder, capture_output=True, text=True, check=True)
        self.assertIn("hits", judged.stdout)


if __name__ == "__main__":
    unittest.main()
