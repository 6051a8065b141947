"""tools/tune-learner, with a program in the place of fairlead-train that knows what is best."""

import importlib.util
import math
import os
import stat
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

TOOL = Path(__file__).parent / "tune-learner"

# Its score falls with the distance of the actor's learning rate from 1e-4.
STAND_IN = """#!/usr/bin/env python3
import math, sys
words = sys.argv[1:]
out = words[words.index("--out") + 1]
settings = dict(words[i + 1].split("=") for i, word in enumerate(words) if word == "--set")
far = abs(math.log10(float(settings["ddpg.actor_learning_rate"])) + 4)
open(out + ".csv", "w").write("round,phase,decisions,world,hit_rate,worst_margin\\n" + "".join(
    f"{i},ddpg,0,w{w},{0.9 - far / 10 + i / 1000 + w / 100},{-far}\\n" for i in range(3) for w in range(2)))
"""


@unittest.skipIf(importlib.util.find_spec("optuna") is None, "needs python3-optuna")
class TuneLearner(unittest.TestCase):
    def search(self, folder, program, *more, learner="rl-baseline"):
        path = Path(folder) / "program"
        path.write_text(program)
        path.chmod(path.stat().st_mode | stat.S_IXUSR)
        return subprocess.run([sys.executable, TOOL, "scenario.yaml", "--learner", learner, "--program", str(path), "--out",
                               str(Path(folder) / "out"), *more], capture_output=True, text=True, check=False,
                              env={**os.environ, "PYTHONWARNINGS": "ignore"})

    def test_finds_what_is_best_and_goes_on_with_a_study(self):
        with tempfile.TemporaryDirectory() as folder:
            first = self.search(folder, STAND_IN, "--trials", "6")
            self.assertEqual(first.returncode, 0, first.stderr)
            self.assertIn("6 trials", first.stdout)
            best = (Path(folder) / "out" / "best.txt").read_text()
            self.assertIn("--set ddpg.actor_learning_rate=", best)
            again = self.search(folder, STAND_IN, "--trials", "2")
            self.assertIn("8 trials", again.stdout)

    def test_a_learner_of_promises_is_judged_as_it_is_trained(self):
        with tempfile.TemporaryDirectory() as folder:
            # Far above the targets is worth no more than at them.
            program = STAND_IN.replace("{-far}", "{0.2 - far}").replace(
                "far = ", 'assert settings["rounds.evaluation"] == "4" and "--horizon" in words\nfar = ')
            found = self.search(folder, program, "--trials", "1", "--horizon", "2s", "--set", "rounds.evaluation=4",
                                "--set", "exploration.memory=0.01", learner="rl-sla")
            self.assertEqual(found.returncode, 0, found.stderr)
            best = float(found.stdout.split("best ")[1].split(":")[0])
            rate = float((Path(folder) / "out" / "best.txt").read_text().split("actor_learning_rate=")[1].split()[0])
            far = abs(math.log10(rate) + 4)
            self.assertAlmostEqual(best, min(0.2 - far, 0) + 0.25 * (0.9 - far / 10 + 0.002 + 0.005), places=3)

    def test_says_when_no_trial_comes_to_an_end(self):
        with tempfile.TemporaryDirectory() as folder:
            failed = self.search(folder, "#!/bin/sh\nexit 3\n", "--trials", "2")
            self.assertEqual(failed.returncode, 3)
            self.assertIn("no trial was completed", failed.stderr)


if __name__ == "__main__":
    unittest.main()
