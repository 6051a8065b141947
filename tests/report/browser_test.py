#!/usr/bin/env python3
"""The report in a real browser, headless: no sideways scrolling on a desktop or a phone, no text cut
off or over another in any figure, no complaint on the console.

    browser_test.py path/to/fairlead

Exits with 77 where Chromium is not installed.
"""

import json
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from report_runs import POLICIES, make_report, make_suite_page

SKIPPED = 77
WIDTHS = [1200, 390, 360]
program = None  # the path of fairlead
chromium = shutil.which("chromium") or shutil.which("chromium-browser")

# Shows the report in a frame of each width, opens all that is folded, and writes down what it finds.
FRAMES = """<!DOCTYPE html><body>%s<pre id="found"></pre><script>
function look(frame) {
  const page = frame.contentDocument, cut = [], overlapping = [];
  for (const folded of page.querySelectorAll("details")) folded.open = true;
  for (const svg of page.querySelectorAll("svg")) {
    const outside = svg.getBoundingClientRect();
    const texts = [...svg.querySelectorAll("text")].map(
        t => ({t: t.firstChild.data, b: t.getBoundingClientRect()}));
    for (const {t, b} of texts)
      if (b.left < outside.left - 1 || b.right > outside.right + 1 || b.top < outside.top - 1 ||
          b.bottom > outside.bottom + 1) cut.push(t);
    for (let i = 0; i < texts.length; ++i)
      for (let j = 0; j < i; ++j) {
        const a = texts[i].b, b = texts[j].b;
        const x = Math.min(a.right, b.right) - Math.max(a.left, b.left);
        const y = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
        if (x > 1 && y > a.height / 3) overlapping.push(texts[j].t + " | " + texts[i].t);
      }
  }
  return {width: frame.contentWindow.innerWidth, figures: page.querySelectorAll("svg").length,
          scroll: page.documentElement.scrollWidth, cut: cut, overlapping: overlapping};
}
addEventListener("load", () => document.getElementById("found").textContent =
    "FOUND" + JSON.stringify([...document.querySelectorAll("iframe")].map(look)) + "FOUND");
</script></body>"""


class Browser(unittest.TestCase):
    def look(self, make, *arguments):
        """What the browser finds at each width; its console has to be empty."""
        with tempfile.TemporaryDirectory() as folder:
            make(program, folder, *arguments)
            frames = "".join(f'<iframe src="report.html" width="{width}" height="900"></iframe>'
                             for width in WIDTHS)
            (Path(folder) / "frames.html").write_text(FRAMES % frames, encoding="utf-8")
            run = subprocess.run(
                [chromium, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                 "--allow-file-access-from-files", "--enable-logging=stderr",
                 f"--user-data-dir={folder}/profile", "--virtual-time-budget=20000", "--dump-dom",
                 f"file://{folder}/frames.html"],
                capture_output=True, text=True, timeout=550)
        self.assertEqual([line for line in run.stderr.splitlines() if ":CONSOLE" in line], [])
        found = re.search("<pre id=\"found\">FOUND(.*)FOUND</pre>", run.stdout, re.DOTALL)
        self.assertIsNotNone(found, run.stderr[-2000:])
        plain = found[1].replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
        return json.loads(plain)

    def check(self, make, *arguments):
        views = self.look(make, *arguments)
        self.assertEqual([view["width"] for view in views], WIDTHS)
        for view in views:
            with self.subTest(width=view["width"]):
                self.assertGreater(view["figures"], 5)
                self.assertLessEqual(view["scroll"], view["width"])
                self.assertEqual(view["cut"], [])
                self.assertEqual(view["overlapping"], [])

    def test_two_policies(self):
        self.check(make_report, "--policy", "edf-h,sjf", "--seeds", 3, "--loads", "0.5,0.8,1")

    def test_many_policies(self):
        self.check(make_report, "--policy", POLICIES)

    def test_suite(self):
        self.check(make_suite_page, "--policy", POLICIES)


if __name__ == "__main__":
    if chromium is None:
        print("skipped: Chromium is not installed (apt-get install chromium)")
        sys.exit(SKIPPED)
    program = str(Path(sys.argv.pop(1)).resolve())
    unittest.main()
