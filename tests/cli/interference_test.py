#!/usr/bin/env python3
"""The program from outside: interference fit and evaluate, by the options of the contract.

    interference_test.py path/to/fairlead
"""

import subprocess
from pathlib import Path

from cli_program import HERE, PROGRAM, Cli, main

DATA = HERE.parents[1] / "data/h200"
LAYERS = ["--layers", DATA / "layers.csv"]
NETWORKS = ["--models", DATA / "models.csv", "--networks", DATA / "networks.csv"]


def head(path, rows):
    lines = Path(path).read_text().splitlines(keepends=True)
    return "".join(lines[:rows + 1])


class Interference(Cli):
    def write(self, name, text):
        (self.folder / name).write_text(text)
        return name

    def fit(self, *more, rows=2000, learner="decision-tree", **expected):
        corun = self.write("c.csv", head(DATA / "corun_train.csv", rows))
        return self.run_program("interference", "fit", *LAYERS, "--corun", corun, "--model", learner,
                                "--out", "m", "--folds", 0, *more, **expected)

    def test_what_fit_wrote_is_judged_by_held_back_rows(self):
        mixes = self.write("x.csv", head(DATA / "mixes_train.csv", 200))
        self.fit(*NETWORKS, "--mixes", mixes)
        found = self.run_json("interference", "evaluate", "--model-file", "m", *LAYERS,
                              "--corun", DATA / "corun_validate.csv", *NETWORKS, "--mixes", mixes)
        self.assertGreater(found["accuracy"], 0.95)
        self.assertGreater(found["accuracy_slowed"], 0.85)
        self.assertGreater(found["mix_accuracy"], 0.97)
        self.assertGreater(found["predict_us"], 0)
        self.assertEqual(sorted(found["per_partition"]), ["p0", "p1", "p2", "p3"])
        for one in found["per_partition"].values():
            self.assertGreater(one["accuracy"], 0.9)

    def test_a_perceptron_can_be_fitted_without_mixes(self):
        self.fit(rows=300, learner="mlp")
        found = self.run_json("interference", "evaluate", "--model-file", "m", *LAYERS,
                              "--corun", DATA / "corun_validate.csv")
        self.assertGreater(found["accuracy"], 0.9)
        self.assertIsNone(found["mix_accuracy"])

    def test_a_folder_stands_for_the_tables_in_it(self):
        self.fit()
        long = self.run_json("interference", "evaluate", "--model-file", "m", *LAYERS, "--corun",
                             DATA / "corun_validate.csv")
        short = self.run_json("interference", "evaluate", "m", "--machine", DATA, "--coruns",
                              DATA / "corun_validate.csv")
        self.assertEqual(long["accuracy"], short["accuracy"])

    def test_the_same_data_and_seed_give_the_same_file(self):
        self.fit()
        first = self.read("m")
        (self.folder / "m").unlink()
        self.fit()
        self.assertEqual(first, self.read("m"))

    def test_bad_data_is_told(self):
        self.fit()
        judge = ["evaluate", "--model-file", "m", *LAYERS, "--corun"]
        header = "layer_id,partition,on_p0,on_p1,on_p2,on_p3,us\n"
        for text, why in (
                ("layer_id,partition,on_p0,on_p1,on_p2,on_p3\n1,0,-1,2,-1,-1\n", "us"),
                (header + "1,0,-1,2,-1,-1,nan\n1,0,-1,2,-1,-1,9\n", "t.csv:2:16: "),
                (header + "9999,0,-1,2,-1,-1,9\n1,0,-1,2,-1,-1,9\n", "there is no layer 9999"),
                (header + "1,0,-1,9999,-1,-1,9\n1,0,-1,2,-1,-1,9\n", "there is no layer 9999"),
                (header + "1,0,-1,2,-1,-1,9\n", "one row to judge by; at least 2 are needed"),
                (header, "no row to judge by"),
                ("", "t.csv")):
            with self.subTest(why):
                table = self.write("t.csv", text)
                said = self.stderr_of("interference", *judge, table)
                self.assertIn(why, said)
                said = self.stderr_of("interference", "fit", *LAYERS, "--corun", table, "--out", "n")
                self.assertIn("t.csv" if "row" not in why else "at least 50 are needed", said)
                self.assertFalse((self.folder / "n").exists())

    def test_what_is_missing_is_named(self):
        table = DATA / "corun_validate.csv"
        self.assertIn("--layers FILE is missing",
                      self.stderr_of("interference", "fit", "--corun", table, "--out", "n"))
        self.assertIn("--models FILE is missing",
                      self.stderr_of("interference", "fit", *LAYERS, "--corun", table, "--mixes",
                                     DATA / "mixes_train.csv", "--out", "n"))
        self.assertIn("--corun FILE",
                      self.stderr_of("interference", "fit", *LAYERS, "--out", "n"))
        self.assertIn("--model-file",
                      self.stderr_of("interference", "evaluate", *LAYERS, "--corun", table))

    def stderr_of(self, *arguments):
        """Of a run that refuses its input."""
        run = subprocess.run([PROGRAM, *map(str, arguments)], cwd=self.folder, timeout=600,
                             stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
        self.assertEqual(run.returncode, 2, run.stdout + run.stderr)
        self.assertEqual(run.stdout, "")
        return run.stderr


if __name__ == "__main__":
    main()
