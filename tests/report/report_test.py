#!/usr/bin/env python3
"""`fairlead simulate --report`: the page is well-formed, whole, small, and loads nothing.

    report_test.py path/to/fairlead
"""

import base64
import hashlib
import re
import sys
import tempfile
import unittest
import xml.etree.ElementTree as ElementTree
from pathlib import Path

from report_runs import HOSTILE, POLICIES, make_report, make_suite_page, simulate

program = None  # the path of fairlead

ELEMENTS = set("""html head meta title style body main h1 h2 h3 p div figure header button figcaption
    svg g path rect circle text table caption thead tbody tr th td small strong pre details summary
    script""".split())


class Report(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def make(self, *arguments):
        return make_report(program, self.folder, *arguments).read_text(encoding="utf-8")

    def check_page(self, text):
        self.assertTrue(text.startswith("<!DOCTYPE html>\n"))
        page = ElementTree.fromstring(text)  # raises where it is not well-formed
        for element in page.iter():
            self.assertIn(element.tag, ELEMENTS)
            for name in element.attrib:
                self.assertNotRegex(name, "^(on|src|href|xlink)")
        self.check_script(page)
        self.assertNotIn("url(", page.find("head/style").text)
        for svg in page.iter("svg"):
            self.assertTrue(svg.get("aria-label"))
        for figure in page.iter("figure"):
            self.assertTrue(figure.find("figcaption").text)
        return page

    def check_script(self, page):
        """There is one script, and the policy allows this one alone."""
        script, = page.iter("script")
        digest = base64.b64encode(hashlib.sha256(script.text.encode()).digest()).decode()
        policy, = (meta.get("content") for meta in page.iter("meta")
                   if meta.get("http-equiv") == "Content-Security-Policy")
        self.assertIn("default-src 'none'", policy)
        self.assertIn(f"script-src 'sha256-{digest}'", policy)

    def test_names_stay_names(self):
        text = self.make("--policy", "edf-h,sjf", "--seeds", 2)
        page = self.check_page(text)
        name = '</title><script>alert(1)</script> & "quotes"'
        self.assertEqual(page.find("head/title").text, f"Fairlead: {name}")
        self.assertEqual(page.find("body/main/h1").text, f"Fairlead: {name}")
        # The only address is one that a name holds, as text.
        self.assertEqual(set(re.findall(r"https?://[^\s&]*", text)), {"https://example.com/x"})
        self.assertNotIn("<img", text)

    def test_it_has_every_figure(self):
        page = self.check_page(self.make("--policy", "edf-h,sjf", "--seeds", 3,
                                         "--loads", "0.5,0.8,1"))
        titles = [title.text for title in page.iter("h3")]
        self.assertEqual(titles, ["Hit rates of agreements", "Promised and received",
                                  "All together, and the worst off", "Latencies",
                                  "Windows violated", "Revenue", "Energy",
                                  "Hit rate over time", "Accelerators under edf-h", "Usage under edf-h",
                                  "Accelerators under sjf", "Usage under sjf"])
        points = [title.text for title in page.iter("title") if " at load " in title.text]
        for load in "0.5", "0.8", "1":
            for series in "edf-h", "sjf", "fluid bounds":
                self.assertTrue(any(p.startswith(f"{series} at load {load}:") for p in points))

    def test_it_says_how_to_run_it_again(self):
        page = self.check_page(self.make("--policy", "edf-h:drop=early;wait=never"))
        command, config = (pre.text for pre in page.iter("pre"))
        self.assertEqual(command, f"fairlead simulate {HOSTILE} --report report.html "
                                  "--policy 'edf-h:drop=early;wait=never'")
        self.assertIn('"load": 0.8', config)

    def test_equal_runs_make_equal_pages(self):
        pages = [self.make("--policy", "edf-h,random", "--seeds", 3, "--jobs", jobs)
                 for jobs in (1, 2)]
        self.assertEqual(pages[0].replace("--jobs 1", ""), pages[1].replace("--jobs 2", ""))

    def test_many_policies_and_tenants_stay_small(self):
        text = self.make("--policy", POLICIES, "--seeds", 4)
        self.check_page(text)
        self.assertLess(len(text), 2_000_000)

    def test_the_page_of_a_suite(self):
        page = self.check_page(make_suite_page(program, self.folder, "--policy", "edf-h,sjf,fixed-plan")
                               .read_text(encoding="utf-8"))
        titles = {title.text for title in page.iter("h3")}
        for measure in "overall rate", "worst agreement", "revenue":
            self.assertIn(f"Within how much of the best: {measure}", titles)
            self.assertIn(f"Led: {measure}", titles)

    def test_what_cannot_be_written(self):
        run = simulate(program, self.folder, HOSTILE, "--policy", "edf-h", "--report",
                       "no/such/folder.html")
        self.assertEqual((run.returncode, run.stdout), (3, ""))
        self.assertEqual(run.stderr,
                         "no/such/folder.html: cannot be written: No such file or directory\n"
                         "Output files that are there are complete.\n")
        self.assertEqual(list(self.folder.iterdir()), [])


if __name__ == "__main__":
    program = str(Path(sys.argv.pop(1)).resolve())
    unittest.main()
