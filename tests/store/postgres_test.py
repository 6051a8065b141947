#!/usr/bin/env python3
"""The store in a real PostgreSQL: the tests of the module, and a server that loses it.

    postgres_test.py path/to/serving_store_test path/to/fairlead
"""

import json
import os
import subprocess
import sys
import unittest
from pathlib import Path

from postgres_server import Postgres, find_programs

STORE_TEST = sys.argv.pop(1)
sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "cli"))

import serve_test  # noqa: E402: needs the path, and the program as the first argument
from cli_program import Cli, main  # noqa: E402


def setUpModule():
    global postgres
    programs = find_programs()
    if programs is None:
        print("skipped: there is no initdb; install postgresql")
        sys.exit(77)
    postgres = Postgres(programs)


def tearDownModule():
    postgres.remove()


class StoreInPostgres(Cli):
    def test_the_store_is_the_same_there(self):
        run = subprocess.run([STORE_TEST, "--gtest_filter=*postgres*"], capture_output=True, text=True,
                             env=dict(os.environ, FAIRLEAD_POSTGRES=postgres.url))
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
        self.assertIn("[  PASSED  ]", run.stdout)
        self.assertNotIn("0 tests", run.stdout.split("[  PASSED  ]")[1])

    def infer(self, server, key):
        return server.ask("POST", "/v2/models/classifier/infer", self.text, Authorization=f"Bearer {key}")[0]

    def wait_for(self, check):
        """Never in vain: the test as a whole has a limit of time."""
        while not check():
            pass

    def hits_in_store(self):
        psql = [*postgres.prefix, postgres.programs / "psql", "-X", "-A", "-t", "-d", postgres.url, "-c",
                "SELECT books FROM indicators WHERE tenant = 'ada'"]
        rows = subprocess.run(psql, check=True, capture_output=True, text=True, cwd=postgres.folder).stdout
        if not rows.strip():
            return 0
        agreement, = json.loads(rows)["agreements"]
        return json.dumps(agreement["history"]["lifetime"])

    def test_a_server_outlives_its_database(self):
        store = ("--store", postgres.url)
        self.run_program("tenant", "remove", "ada", *store, status=2, stderr=None)
        ada = self.run_program("tenant", "add", "ada", *store).strip()
        serve_test.Serve.write_scenario(self, f"store: '{postgres.url}', flush: 10ms")
        server = serve_test.Server(self, "served.yaml")
        tensor, = server.json("GET", "/v2/models/classifier", Authorization=f"Bearer {ada}")["inputs"]
        tensor["shape"] = [max(1, extent) for extent in tensor["shape"]]  # -1: as many samples as one likes
        count = 1
        for extent in tensor["shape"]:
            count *= extent
        self.text = json.dumps({"inputs": [dict(tensor, data=[0.5] * count)]})
        self.assertEqual(self.infer(server, ada), 200)
        self.wait_for(lambda: self.hits_in_store() != 0)
        before = self.hits_in_store()

        postgres.stop()
        errors = self.folder / "errors.txt"
        for _ in range(3):
            self.assertEqual(self.infer(server, ada), 200)  # it serves on
        self.wait_for(lambda: "postgresql:///postgres: " in errors.read_text())  # and says why it does not write
        postgres.start()
        self.wait_for(lambda: self.hits_in_store() != before)
        ben = self.run_program("tenant", "add", "ben", *store).strip()
        self.wait_for(lambda: self.infer(server, ben) != 401)
        self.assertEqual(server.end(), 0)

        # Another server goes on where that one ended.
        server = serve_test.Server(self, "served.yaml")
        metrics = self.run_program("tenant", "operator", *store).strip()
        hits = 'fairlead_requests_total{tenant="ada",network="classifier",outcome="hit"} 4\n'
        self.wait_for(lambda: hits in server.ask("GET", "/metrics", Authorization=f"Bearer {metrics}")[2].decode())
        server.end()

    def test_without_its_database_nothing_begins(self):
        serve_test.Serve.write_scenario(self, f"store: '{postgres.url.replace('host=', 'host=/none')}'")
        self.run_program("serve", "served.yaml", status=3, stderr=None)


if __name__ == "__main__":
    main()
