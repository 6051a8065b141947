"""fairlead.simulate: the program's results, as objects; its errors, as exceptions."""

import contextlib
import io
import json
import os
import pathlib
import signal
import subprocess
import tempfile
import threading
import time
import unittest

import fairlead
import numpy as np
from support import BUSY, without_clocks


class Simulate(unittest.TestCase):
    def test_a_result_has_the_runs_in_order(self):
        result = fairlead.simulate(BUSY, policies=["edf-h", "sjf"], seeds=2)
        self.assertEqual([(run["policy"], run["seed"]) for run in result["runs"]],
                         [("edf-h", 1), ("edf-h", 2), ("sjf", 1), ("sjf", 2)])
        self.assertGreater(result["runs"][0]["hit_rate"], 0.3)
        self.assertEqual(result["version"], fairlead.__version__)

    def test_seeds_may_be_listed(self):
        result = fairlead.simulate(BUSY, policies="edf-h", seeds=[7, 3])
        self.assertEqual([run["seed"] for run in result["runs"]], [7, 3])

    def test_one_policy_needs_no_list(self):
        self.assertEqual(len(fairlead.simulate(BUSY, policies="edf-h,sjf")["runs"]), 2)

    def test_set_stands_in_the_place_of_what_the_scenario_says(self):
        result = fairlead.simulate(BUSY, policies="edf-h", set={"load": 0.2, "horizon": "50ms"})
        self.assertEqual(result["config"]["load"], 0.2)

    def test_shipped_scenarios_are_found_from_everywhere(self):
        before = os.getcwd()
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            try:
                world = fairlead.load("scenarios/fairness.yaml")
            finally:
                os.chdir(before)
        self.assertEqual(world.name, "fairness")

    def test_a_world_is_read_once_and_run_often(self):
        world = fairlead.load(BUSY)
        first = fairlead.simulate(world, policies="edf-h")
        self.assertEqual(without_clocks(first), without_clocks(fairlead.simulate(world, policies="edf-h")))

    def test_objectives_are_judged(self):
        result = fairlead.simulate(BUSY, policies="edf-h", require=["hit_rate>=0%", "hit_rate>=100%"])
        self.assertEqual([one["met"] for one in result["objectives"]], [True, False])

    def test_the_table_is_the_programs(self):
        self.assertIn("edf-h", fairlead.table(BUSY, policies="edf-h"))

    def test_files_of_a_run(self):
        with tempfile.TemporaryDirectory() as folder:
            files = {name: pathlib.Path(folder, name) for name in ("outcomes", "trace", "record")}
            fairlead.simulate(BUSY, policies="edf-h", **files)
            self.assertIn("request", files["outcomes"].read_text().splitlines()[0])
            json.loads(files["trace"].read_text())
            self.assertGreater(files["record"].stat().st_size, 1000)
        with self.assertRaisesRegex(fairlead.InputError, "one run; these are 2"):
            fairlead.simulate(BUSY, policies="edf-h,sjf", outcomes="never")

    @unittest.skipUnless(os.access(os.environ.get("FAIRLEAD", ""), os.X_OK), "the program is not built")
    def test_the_program_says_the_same(self):
        with tempfile.TemporaryDirectory() as folder:
            scenario = pathlib.Path(folder, "busy.yaml")
            scenario.write_text(json.dumps(BUSY))
            program = subprocess.run([os.environ["FAIRLEAD"], "simulate", scenario, "--policy", "edf-h,fairlead",
                                      "--seeds", "2", "-o", "json"], capture_output=True, check=True)
            here = fairlead.simulate(scenario, policies=["edf-h", "fairlead"], seeds=2)
        self.assertEqual(without_clocks(here), without_clocks(json.loads(program.stdout)))

    def test_policies_are_listed_with_their_options(self):
        listed = fairlead.policies()
        self.assertIn("early", listed["edf-h"]["options"]["drop"]["values"])
        self.assertTrue(listed["fairlead"]["description"])


class Errors(unittest.TestCase):
    def test_a_scenario_with_a_mistake(self):
        with self.assertRaisesRegex(fairlead.InputError, r"scenario:1:\d+: unknown key 'horizn'"):
            fairlead.simulate({"horizn": "1s"}, policies="edf-h")

    def test_a_file_that_is_not_there(self):
        with self.assertRaisesRegex(fairlead.InputError, "nowhere.yaml: "):
            fairlead.load("nowhere.yaml")

    def test_an_unknown_policy(self):
        with self.assertRaisesRegex(fairlead.InputError, "unknown policy 'edf-x'.*edf-h"):
            fairlead.simulate(BUSY, policies="edf-x")

    def test_they_are_value_errors_too(self):
        with self.assertRaises(ValueError):
            fairlead.simulate(BUSY, policies="edf-x")

    def test_no_seed(self):
        for seeds in (0, [], [-1]):
            with self.assertRaises(fairlead.InputError):
                fairlead.simulate(BUSY, policies="edf-h", seeds=seeds)

    def test_a_demand_that_makes_no_sense(self):
        with self.assertRaisesRegex(fairlead.InputError, "require wrst>=1%"):
            fairlead.simulate(BUSY, policies="edf-h", require="wrst>=1%")


class Interrupts(unittest.TestCase):
    def test_ctrl_c_ends_a_long_run(self):
        threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()
        begun = time.monotonic()
        with self.assertRaises(KeyboardInterrupt):
            fairlead.simulate(BUSY, policies="edf-h", set={"horizon": "3h"}, bounds=False)
        self.assertLess(time.monotonic() - begun, 120)  # it would take longer by far

    def test_other_threads_go_on_meanwhile(self):
        world, counted, done = fairlead.load(BUSY), [0], threading.Event()

        def count():
            while not done.is_set():
                counted[0] += 1
                time.sleep(0.001)

        thread = threading.Thread(target=count)
        thread.start()
        fairlead.simulate(world, policies="all", seeds=2)
        done.set()
        thread.join()
        self.assertGreater(counted[0], 3)


class Documentation(unittest.TestCase):
    def test_what_the_page_shows_runs(self):
        page = (pathlib.Path(__file__).resolve().parents[2] / "docs" / "guide" / "python.md").read_text()
        blocks = [block.split("```")[0] for block in page.split("```python\n")[1:]]
        self.assertGreaterEqual(len(blocks), 4)
        names = {"act": lambda seen: np.zeros((len(seen["segments"]), 5))}
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            for block in blocks:
                # A minute of a hundred tenants ten times over would show no more than some milliseconds.
                exec(block.replace("seeds=10", 'set={"horizon": "20ms", "warm_up": "0s"}'), names)
        self.assertIn("fairlead 0.", printed.getvalue())


if __name__ == "__main__":
    unittest.main()
