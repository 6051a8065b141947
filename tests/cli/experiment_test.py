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

    def test_page_and_numbers_are_written(self):
        printed = self.run_json("experiment", "worked-examples", "--out", "made")
        self.assertTrue(printed["as_expected"])
        self.assertEqual(self.files(), ["made"])
        written = json.loads((self.folder / "made/worked-examples.json").read_text())
        self.assertEqual(written, printed)
        self.assertIn("<html", (self.folder / "made/worked-examples.html").read_text())

    def test_a_quick_one_is_as_expected(self):
        for name in "envy", "unequal-load":
            self.assertTrue(self.run_json("experiment", name, "--quick")["as_expected"], name)

    def test_an_unknown_one_is_refused(self):
        run = self.run_program("experiment", "no-such", status=2, stderr=None)
        self.assertEqual(run, "")


if __name__ == "__main__":
    main()
