#!/usr/bin/env python3
"""tools/sign-until-refused on a platform that does 200 jobs a second.

    sign_until_refused_test.py path/to/fairlead
"""

import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

TOOL = Path(__file__).resolve().parent / "sign-until-refused"
JOBS = "network,layer,accelerator,latency_ns,dram_bytes,energy_pj\njob,0,x,10000000,0,0\n"
WORLD = """
horizon: 20s
warm_up: 1s
networks: {profile: jobs.csv}
platform: {accelerators: [{kind: x, count: 2}]}
arrivals: {process: poisson}
load: 1
tenants:
  - {name: left-out, networks: [job]}
"""


class SignUntilRefused(unittest.TestCase):
    def test_what_is_signed_holds_and_what_is_refused_breaks(self):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            (folder / "jobs.csv").write_text(JOBS, encoding="utf-8")
            (folder / "world.yaml").write_text(WORLD, encoding="utf-8")
            run = subprocess.run([sys.executable, TOOL, "--program", sys.argv[1], "--scenario", folder / "world.yaml",
                                  "--policy", "edf-share", "--networks", "job", "--rate", "35", "--seeds", "10",
                                  "--out", folder], capture_output=True, text=True, check=False)
            self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
            result = json.loads((folder / "verdict.json").read_text(encoding="utf-8"))
        # About three quarters of what is sent must be served: 200 are enough for 267, or 7 customers.
        self.assertGreaterEqual(result["signed"], 5)
        self.assertLessEqual(result["signed"], 7)
        self.assertNotEqual(result["answer"], "yes")
        self.assertEqual(result["without_refused"]["broken"], 0)
        self.assertGreater(result["with_refused"]["broken"], 0)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
