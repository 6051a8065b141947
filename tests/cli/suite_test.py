#!/usr/bin/env python3
"""The program from outside: suite.

    suite_test.py path/to/fairlead

What is wrong input, and what the program says about it, is tests/bad_input's.
"""

import os

from cli_program import RUN, Cli, main


class Suite(Cli):
    """Scenario 3 of seed 1, and more where it takes several."""
    FEW = ["--policy", "edf-h,sjf:drop=early,fixed-plan", "--seeds", 2]
    ONE = ["suite", "--first", 3, "--scenarios", 1, *FEW]
    MEASURES = {"hit_rate", "worst_agreement", "met_share", "revenue"}

    def test_json_has_every_scenario_and_every_policy(self):
        suite = self.run_json(*self.ONE)
        self.assertEqual([scenario["name"] for scenario in suite["scenarios"]], ["suite-1-3"])
        scenario = suite["scenarios"][0]
        self.assertLessEqual(set(RUN) - {"per_agreement"}, set(scenario["runs"][0]))
        self.assertEqual([run["policy"] for run in scenario["runs"]],
                         ["edf-h", "edf-h", "sjf:drop=early", "sjf:drop=early"])
        self.assertEqual(list(suite["policies"]), ["edf-h", "sjf:drop=early", "fixed-plan"])
        for policy in suite["policies"].values():
            for key in "led", "may_lead", "within_1_point", "mean_behind", "losses", "rivals", "where":
                self.assertEqual(set(policy[key]), self.MEASURES)
        self.assertIn("needs a plan", suite["policies"]["fixed-plan"]["could_not_run"][0]["reason"])
        self.assertEqual(max(suite["policies"][name]["led"]["hit_rate"] for name in suite["policies"]),
                         1)

    def test_a_written_scenario_gives_the_same_runs(self):
        suite = self.run_json(*self.ONE, "--write", "drawn")
        self.assertEqual(self.files(), ["drawn"])
        alone = self.run_json("simulate", "drawn/suite-1-3.yaml", "--policy", "edf-h", "--seeds", 2)
        for key in "seed", "hits", "revenue", "makespan_ns", "agreements":
            self.assertEqual([run[key] for run in suite["scenarios"][0]["runs"][:2]],
                             [run[key] for run in alone["runs"]])
        self.assertEqual(suite["scenarios"][0]["config"], alone["config"])

    def test_a_scenario_does_not_depend_on_how_many_are_drawn(self):
        self.run_program("suite", "--scenarios", 3, "--policy", "edf-h", "--seeds", 1, "--write", "a")
        self.run_program("suite", "--first", 2, "--scenarios", 1, "--policy", "sjf", "--seeds", 1,
                         "--write", "b")
        self.assertEqual(self.read("a/suite-1-2.yaml"), self.read("b/suite-1-2.yaml"))

    def test_tuning_has_scenarios_of_its_own(self):
        self.run_program("suite", "--scenarios", 1, "--policy", "edf-h", "--seeds", 1, "--tuning",
                         "--write", "drawn")
        self.assertEqual(os.listdir(self.folder / "drawn"), ["tuning-1-1.yaml"])

    def test_the_table_names_all_and_says_where_they_lose(self):
        table = self.run_program(*self.ONE)
        for word in "edf-h ", "sjf:drop=early ", "Where each loses most", "fixed-plan could not run":
            self.assertIn(word, table)

    def test_the_page_is_the_same_each_time(self):
        (self.folder / "more.txt").write_text("# tuned\nsjf:wait=never\nedf-h\n", encoding="utf-8")
        for jobs in 1, 2:
            self.run_program(*self.ONE, "--jobs", jobs, "--report", "page.html", "--policy-file",
                             "more.txt")
            os.rename(self.folder / "page.html", self.folder / f"{jobs}.html")
        page = self.read("1.html").decode("utf-8")
        for word in "profile-hit_rate", "sjf:wait=never", "suite-1-3", "needs a plan":
            self.assertIn(word, page)
        self.assertEqual(page.replace("--jobs 1", "--jobs 2"), self.read("2.html").decode("utf-8"))


if __name__ == "__main__":
    main()
