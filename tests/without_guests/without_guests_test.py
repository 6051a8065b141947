#!/usr/bin/env python3
"""The program in a build without guests: it simulates, and says which option is missing for the rest.

    without_guests_test.py PROGRAM
"""

import subprocess
import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
PROGRAM = Path(sys.argv.pop(1)).resolve()
FILE = "tests/fuzz/corpus/onnx/gate.onnx"
NO_ONNX = f"{FILE}: this build cannot read ONNX files; build with -DFAIRLEAD_ONNX=ON"
NO_ONEDNN = "this build cannot run networks; build with -DFAIRLEAD_ONEDNN=ON"


class WithoutGuests(unittest.TestCase):
    def run_program(self, *arguments):
        return subprocess.run([PROGRAM, *arguments], cwd=ROOT, capture_output=True, text=True,
                              check=False)

    def check_refusal(self, run, why):
        self.assertEqual((run.returncode, run.stdout), (2, ""))
        self.assertIn(why, run.stderr)

    def test_it_simulates(self):
        run = self.run_program("simulate", "tests/cli/small.yaml", "-o", "json")
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        self.assertIn('"hit_rate"', run.stdout)

    def test_files_are_refused(self):
        self.check_refusal(self.run_program("networks", FILE), NO_ONNX)

    def test_serving_is_refused(self):
        for verb in (["serve"], ["tenant", "list"], ["agreement", "list"]):
            self.check_refusal(self.run_program(*verb),
                               "this build cannot serve; build with -DFAIRLEAD_SERVE=ON")

    def test_measuring_is_refused(self):
        self.check_refusal(self.run_program("profile", "alexnet", "--out", "nowhere"), NO_ONEDNN)
        self.assertFalse((ROOT / "nowhere").exists())


if __name__ == "__main__":
    unittest.main()
