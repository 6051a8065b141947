#!/usr/bin/env python3
"""The program from outside: train, which hands everything on to fairlead-train.

    train_test.py path/to/fairlead
"""

import shutil
import subprocess

from cli_program import PROGRAM, SMALL, Cli, main

ASKED = ["train", SMALL, "--learner", "rl-sla", "--out", "weights", "--set", "hidden=8", "--fresh"]


class Train(Cli):
    def setUp(self):
        super().setUp()
        # Alone in a folder, so that no trainer of this build is beside it.
        self.program = self.folder / "bin" / "fairlead"
        self.program.parent.mkdir()
        shutil.copy(PROGRAM, self.program)

    def run_alone(self, *arguments):
        return subprocess.run([self.program, *arguments], cwd=self.folder, capture_output=True, text=True, check=False,
                              env={"PATH": "/no/such/folder"})

    def test_without_a_trainer_it_says_how_to_build_one(self):
        run = self.run_alone(*ASKED)
        self.assertEqual(run.returncode, 3)
        self.assertIn("cmake --build --preset train", run.stderr)

    def test_hands_everything_on_to_the_trainer_beside_it(self):
        trainer = self.program.parent / "fairlead-train"
        trainer.write_text('#!/bin/sh\necho "$@"\nexit 7\n')
        trainer.chmod(0o755)
        run = self.run_alone(*ASKED)
        self.assertEqual(run.returncode, 7)
        self.assertEqual(run.stdout, f"{SMALL} --learner rl-sla --out weights --set hidden=8 --fresh\n")

    def test_a_learner_must_be_named(self):
        run = self.run_alone("train", SMALL, "--out", "weights")
        self.assertEqual(run.returncode, 2)
        self.assertIn("--learner", run.stderr)


if __name__ == "__main__":
    main()
