#!/usr/bin/env python3
"""tools/draw_lines_test.py DRAW_LINES: what it draws, and what it refuses."""

import subprocess
import sys
import unittest
import xml.etree.ElementTree as ElementTree

program = sys.argv.pop(1)


def draw(points):
    return subprocess.run([program, "a < b", "load", "hit rate"], input=points, capture_output=True, text=True)


class DrawLines(unittest.TestCase):
    def test_a_picture_that_stands_alone(self):
        done = draw("series,x,y,half\nedf-h:drop=early,0.5,0.9,0.01\nedf-h:drop=early,1,0.6,\nbound,1,0.99,\n")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        root = ElementTree.fromstring(done.stdout)
        self.assertEqual(root.tag, "{http://www.w3.org/2000/svg}svg")
        self.assertEqual(root.attrib["aria-label"], "a < b")
        texts = [element.text for element in root.iter("{http://www.w3.org/2000/svg}text")]
        self.assertEqual([text for text in texts if text in ("edf-h:drop=early", "bound")],
                         ["edf-h:drop=early", "bound"])  # once each, the interval not at all

    def test_bad_points_are_refused(self):
        done = draw("series,x,y,half\nedf-h,0.5,much,\n")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("points:2", done.stderr)


if __name__ == "__main__":
    unittest.main()
