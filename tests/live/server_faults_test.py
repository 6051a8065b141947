#!/usr/bin/env python3
"""A server in trouble: killed under load again and again, with a full disk, without its store, without the files of its
networks. It keeps serving or says why not; what it was promised to remember it remembers.

    server_faults_test.py path/to/fairlead [--kills 20]
"""

import json
import math
import os
import random
import resource
import signal
import sqlite3
import sys
import threading
from pathlib import Path

KILLS = int(sys.argv.pop(sys.argv.index("--kills") + 1)) if "--kills" in sys.argv else 20
sys.argv = [word for word in sys.argv if word != "--kills"]
sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "cli"))

import serving_program  # noqa: E402: needs the path
from cli_program import Cli, main  # noqa: E402

INFER = "/v2/models/classifier/infer"


class Client(threading.Thread):
    """Calls without a pause until the server is gone, and counts the good answers."""

    def __init__(self, server, text):
        super().__init__()
        self.hits = 0
        self.connection = serving_program.Server.__new__(serving_program.Server)
        self.connection.url = server.url
        self.connection.connect()
        self.text = text
        self.start()

    def run(self):
        try:
            while True:
                status, _, _ = self.connection.ask("POST", INFER, self.text, Fairlead_Tenant="ada")
                if status == 200:
                    self.hits += 1
        except OSError:
            pass
        except serving_program.http.client.HTTPException:
            pass
        finally:
            self.connection.connection.close()


class Faults(Cli):
    def start(self, serve, *arguments):
        serving_program.Serving.write_scenario(self, serve)
        server = serving_program.Server(self, "served.yaml", *arguments)
        tensor, = server.json("GET", "/v2/models/classifier")["inputs"]
        shape = [max(extent, 1) for extent in tensor["shape"]]
        self.text = json.dumps({"inputs": [dict(tensor, shape=shape, data=[0.5] * math.prod(shape))]})
        return server

    def stored(self, column="books"):
        """What the store has of ada: hits, or when they were written."""
        with sqlite3.connect(self.folder / "here.db", timeout=60) as database:
            rows = database.execute(f"SELECT {column} FROM indicators WHERE tenant = 'ada'").fetchall()
        database.close()
        if not rows:
            return 0
        if column != "books":
            return rows[0][0]
        agreement, = json.loads(rows[0][0])["agreements"]
        return agreement["history"]["lifetime"]["hit"]

    def served(self, server):
        """What the server says of ada's hits."""
        line = 'fairlead_requests_total{tenant="ada",network="classifier",outcome="hit"} '
        text = server.ask("GET", "/metrics")[2].decode()
        return int(text.split(line)[1].split("\n")[0])

    def infer(self, server):
        return server.ask("POST", INFER, self.text, Fairlead_Tenant="ada")[0]

    def errors(self):
        return (self.folder / "errors.txt").read_text()

    def wait_for(self, check):
        """Never in vain: the test as a whole has a limit of time."""
        while not check():
            pass

    def test_it_is_killed_under_load_again_and_again(self):
        chance = random.Random(7)
        before = lost = 0
        for kill in range(KILLS):
            server = self.start("anonymous: ada, store: here.db, flush: 20ms")
            self.assertEqual(self.served(server), before)  # it goes on where the store says
            clients = [Client(server, self.text) for _ in range(4)]
            safe = 0
            for _ in range(chance.randint(1, 6)):
                answered = sum(client.hits for client in clients)
                # A writing that ends after these answers may have begun before them; the one after it has not.
                for _ in range(2):
                    written = self.stored("time_ns")
                    self.wait_for(lambda: self.stored("time_ns") != written)
                safe = answered
            server.end(signal.SIGKILL)
            for client in clients:
                client.join()
            answered = sum(client.hits for client in clients)
            with sqlite3.connect(self.folder / "here.db", timeout=60) as database:
                self.assertEqual(database.execute("PRAGMA integrity_check").fetchall(), [("ok",)])
            database.close()
            hits = self.stored() - before
            self.assertGreaterEqual(hits, safe, f"kill {kill}: written, and lost")
            lost = max(lost, answered - hits)
            before = self.stored()
        print(f"\n{KILLS} kills: {before} hits kept; at most {lost} answers were given after the last writing")

    def test_a_full_disk_stops_nobody(self):
        limits = resource.getrlimit(resource.RLIMIT_FSIZE)
        before = serving_program.subprocess.Popen

        def limited(*arguments, **more):
            """No file may grow beyond half a megabyte; Python ignores SIGXFSZ, and so does what it starts."""
            return before(*arguments, **more, restore_signals=False,
                          preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 19, limits[1])))

        serving_program.subprocess.Popen = limited
        try:
            server = self.start("anonymous: ada, store: here.db, flush: 1ms")
        finally:
            serving_program.subprocess.Popen = before
        # Readers keep the log from being emptied, so that it grows to the limit.
        reader = sqlite3.connect(self.folder / "here.db", timeout=60, isolation_level=None)
        reader.execute("BEGIN")
        reader.execute("SELECT * FROM indicators").fetchall()
        while "here.db: " not in self.errors():
            self.assertEqual(self.infer(server), 200)
        self.assertEqual(self.infer(server), 200)
        reader.close()
        self.wait_for(lambda: "the store is there again" in self.errors())
        hits = self.served(server)
        self.assertEqual(server.end(), 0)
        self.assertGreaterEqual(self.stored(), hits)

    def test_a_recording_on_a_full_disk_is_told(self):
        if not os.path.exists("/dev/full"):
            self.skipTest("there is no /dev/full")
        server = self.start("anonymous: ada", "--record", "/dev/full")
        for _ in range(300):
            self.assertEqual(self.infer(server), 200)
        self.assertEqual(server.end(), 3)
        self.assertIn("the recording could not be written completely", self.errors())

    def test_its_store_goes_and_returns(self):
        server = self.start("anonymous: ada, store: here.db, flush: 10ms")
        store = self.folder / "here.db"
        for _ in range(2):
            store.rename(self.folder / "away.db")
            errors = len(self.errors())
            self.wait_for(lambda: "the file has gone" in self.errors()[errors:])
            self.assertEqual(self.infer(server), 200)
            (self.folder / "away.db").rename(store)
            self.wait_for(lambda: "the store is there again" in self.errors()[errors:])
        hits = self.served(server)
        self.assertEqual(server.end(), 0)
        self.assertGreaterEqual(self.stored(), hits)

    def test_the_file_of_a_network_vanishes(self):
        server = self.start("anonymous: ada")
        (self.folder / "classifier.onnx").rename(self.folder / "away.onnx")
        self.assertEqual(self.infer(server), 200)  # it is in memory
        path = "/v2/repository/models/classifier/"
        self.assertEqual(server.ask("POST", path + "unload", "{}")[0], 200)
        self.assertEqual(self.infer(server), 404)
        status, headers, text = server.ask("POST", path + "load", "{}")
        if status != 200:
            self.assertEqual((status, headers["Fairlead-Reason"]), (400, "not-changed"), text)
            (self.folder / "away.onnx").rename(self.folder / "classifier.onnx")
            self.assertEqual(server.ask("POST", path + "load", "{}")[0], 200)
        self.assertEqual(self.infer(server), 200)
        self.assertEqual(server.end(), 0)


if __name__ == "__main__":
    main()
