#!/usr/bin/env python3
"""The program from outside: experiment.

    experiment_test.py path/to/fairlead
"""

import json

from cli_program import Cli, main


class Experiment(Cli):
    def test_the_list_names_questions_and_times(self):
        text = self.run_program("experiment", "--list")
        for name in "welfare", "envy", "worked-examples":
            self.assertIn(name, text)
        self.assertIn("--quick: ", text)

    def test_page_numbers_and_runs_are_written(self):
        # The paper prints 1.36 where its own table gives 1.373: as expected, and refuted.
        printed = self.run_json("experiment", "worked-examples", "--out", "made", status=4)
        self.assertTrue(printed["as_expected"])
        self.assertEqual(printed["verdicts"]["refuted"], 3)
        phi, = (number for number in printed["numbers"] if number["name"] == "phi/dynamic/A1")
        self.assertEqual(phi["paper"], 1.36)
        self.assertAlmostEqual(phi["ratio"], phi["mean"] / 1.36)
        self.assertEqual(phi["verdict"], "refuted")
        self.assertEqual(self.files(), ["made"])
        written = json.loads((self.folder / "made/worked-examples.json").read_text())
        self.assertEqual(written, printed)
        self.assertIn("<html", (self.folder / "made/worked-examples.html").read_text())
        self.assertIn(",phi/dynamic/A1,", (self.folder / "made/worked-examples.runs.csv").read_text())

    def test_a_quick_one_is_as_expected(self):
        for name, status in ("envy", 4), ("unequal-load", 0):
            self.assertTrue(self.run_json("experiment", name, "--quick", status=status)["as_expected"], name)

    def test_the_last_line_speaks_of_claims(self):
        lines = self.run_program("experiment", "envy", "--quick", status=4).splitlines()
        self.assertRegex(lines[-1], r"^Refuted: of 6 claims hold 4, open 0, fall short 0, refuted 2 "
                                    r"\(quick: few seeds, wide intervals\)\. As before: (\d+) of \1 numbers\.$")

    def test_a_folder_and_more_mechanisms(self):
        (self.folder / "mine").mkdir()
        (self.folder / "mine/experiment.yaml").write_text(
            "question: q\nrefuted_by: r\ngrids:\n  - runs: sharing\n    worlds: {five: {scenario: sharing/five}}\n"
            "    policies: [themis]\n    seeds: 2\n    numbers: {'welfare/{policy}': welfare}\n"
            "    figures: [{over: distribution, name: phi, x: phi}]\n")
        ran = self.run_json("experiment", "./mine", "--policy", "nash", "--jobs", "1", "--out", "made")
        self.assertEqual([number["name"] for number in ran["numbers"]], ["welfare/themis", "welfare/nash"])
        rows = (self.folder / "made/mine-phi-five.csv").read_text().splitlines()
        self.assertEqual(rows[0], "policy,world,x,y,half_width")
        self.assertEqual(len(rows), 1 + 2 * 101)
        self.assertEqual(self.run_json("experiment", "./mine", "--policy", "nash", "--jobs", "1", "--out", "made"), ran)
        self.run_program("experiment", "./mine", "--policy", "nush", status=3, stderr=None)

    def test_an_unknown_one_is_refused(self):
        run = self.run_program("experiment", "no-such", status=2, stderr=None)
        self.assertEqual(run, "")


if __name__ == "__main__":
    main()
