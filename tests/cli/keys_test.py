#!/usr/bin/env python3
"""docs/reference/keys.md has the keys that the program knows, and no others. What the program knows is in its
complaint about a key that it does not know.

    keys_test.py path/to/fairlead
"""

import re
import subprocess

from cli_program import HERE, PROGRAM, Cli, main

PAGE = (HERE.parent.parent / "docs/reference/keys.md").read_text(encoding="utf-8")
UNKNOWN = "quite_unknown"

# A place in a scenario, written around the unknown key, and the row of the page that has the keys there; none:
# they are the rows.
SCENARIO = {
    "{}": None,
    "platform: {{{}}}": "platform",
    "platform: {{accelerators: [{{{}}}]}}": "platform.accelerators",
    "platform: xavier\nnetworks: {{{}}}": "networks",
    "platform: xavier\nhand_overs: {{{}}}": "hand_overs",
    "platform: xavier\nhand_overs: {{move: {{{}}}}}": "hand_overs",
    "platform: xavier\ndeadlines: {{{}}}": "deadlines",
    "platform: xavier\nbeliefs: {{{}}}": "beliefs",
    "platform: xavier\ninterference: {{{}}}": "interference",
    "platform: xavier\ndecision_charge: {{{}}}": "decision_charge",
    "platform: xavier\nguard: {{{}}}": "guard",
    "platform: xavier\narrivals: {{{}}}": "arrivals",
    "platform: xavier\nchanges: [{{{}}}]": "changes",
    "platform: xavier\nrequests: r.csv\nagreements: [{{{}}}]": "agreements",
}
TENANTS = {
    "platform: xavier\ntenants: [{{{}}}]": None,
    "platform: xavier\ntenants: [{{networks: [a], target: {{{}}}}}]": "target",
    "platform: xavier\ntenants: [{{networks: [a], target: 90%, period: {{{}}}}}]": "period",
    "platform: xavier\ntenants: [{{networks: [a], contract: {{{}}}}}]": "contract",
}
SERVE = {
    "platform: xavier\nserve: {{{}}}": None,
    "platform: xavier\nserve: {{tls: {{{}}}}}": "tls",
    "platform: xavier\nserve: {{anonymous: true, limits: {{{}}}}}": "limits",
    "platform: xavier\nserve: {{anonymous: true, recordings: {{{}}}}}": "recordings",
}
ACCELERATOR = ["{}", "name: a\nprocessor: {{{}}}"] + [f"name: a\nlike: simba\narray: {part}" for part in (
    "{{{}}}", "{{dram: {{{}}}}}", "{{axes: [{{{}}}]}}", "{{buffers: [{{{}}}]}}", "{{elements: {{{}}}}}",
    "{{elements: {{weights: {{{}}}}}}}", "{{vector: {{{}}}}}")]


def section(title):
    return re.search(rf"^## {re.escape(title)}\n(.*?)(?=^## |\Z)", PAGE, re.M | re.S)[1]


def words(text):
    return set(re.findall(r"[a-z_]+", text))


def rows(title):
    """The words in the first column's code, and those in all of a row's code, for each row of the table."""
    table = [line.split("|") for line in section(title).splitlines() if line.startswith("| `")]
    return [(re.findall(r"`([a-z_.]+)`", row[1]), words(" ".join(re.findall(r"`[^`]+`", "|".join(row)))))
            for row in table]


class Keys(Cli):
    def known(self, text, verb=("check",)):
        """The keys that the program knows at a place."""
        (self.folder / "keys.yaml").write_text(text.format(UNKNOWN + ": 1") + "\n")
        run = subprocess.run([PROGRAM, *verb, "keys.yaml"], cwd=self.folder, capture_output=True, text=True,
                             timeout=60)
        listed = re.search(rf"unknown key '{UNKNOWN}'; expected one of (.*)", run.stderr)
        self.assertIsNotNone(listed, f"{text}: {run.stderr}")
        return set(listed[1].split(", "))

    def compare(self, title, places):
        table = rows(title)
        for text, row in places.items():
            known = self.known(text)
            with self.subTest(section=title, row=row):
                if row is None:
                    said = {key for keys, _ in table for key in keys if "." not in key}
                    self.assertEqual(said, known)
                else:
                    said = set().union(*(all_words for keys, all_words in table if row in keys))
                    self.assertEqual(known - said, set())

    def test_of_a_scenario(self):
        self.compare("Scenario", SCENARIO)

    def test_of_tenants(self):
        self.compare("A group of tenants", TENANTS)

    def test_of_a_server(self):
        self.compare("`serve`", SERVE)

    def test_of_parts_with_rows_of_their_own(self):
        for keys, _ in rows("Scenario"):
            for key in keys:
                if "." in key:
                    whole, part = key.split(".")
                    text = next(text for text, row in SCENARIO.items() if row == whole)
                    self.assertIn(part, self.known(text))

    def test_of_an_accelerator(self):
        said = words(section("An accelerator"))
        for text in ACCELERATOR:
            with self.subTest(place=text):
                self.assertEqual(self.known(text, ("cost", "alexnet", "--on")) - said, set())


if __name__ == "__main__":
    main()
