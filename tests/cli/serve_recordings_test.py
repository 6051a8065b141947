#!/usr/bin/env python3
"""A server's log of recordings: pieces that replay, and stretches of time cut out of them.

    serve_recordings_test.py path/to/fairlead
"""

import signal
import time

from cli_program import main
from serving_program import Serving

LOG = "anonymous: ada, recordings: {folder: log, keep: 1MB, piece: 1kB}"


class ServeRecordings(Serving):
    def infer(self, server, count):
        body, _ = self.body(server)
        return [server.json("POST", "/v2/models/classifier/infer", body) for _ in range(count)]

    def pieces(self):
        return sorted((self.folder / "log").iterdir())

    def test_what_is_cut_out_replays(self):
        server = self.start(serve=LOG)
        self.infer(server, 30)
        self.assertEqual(server.end(), 0)
        pieces = self.pieces()
        self.assertGreater(len(pieces), 3)
        for piece in pieces:
            self.assertIn("every decision is the same", self.run_program("replay", piece))
        # All of it, in one file: 30 calls were answered, over all parts.
        cut = self.run_json("cut", "log", "--out", "all.rec")
        self.assertEqual([one["piece"] for one in cut["pieces"]], [f"log/{piece.name}" for piece in pieces])
        parts = self.run_json("replay", "all.rec")
        self.assertEqual(len(parts), len(pieces))
        self.assertTrue(all(part["identical"] for part in parts))
        self.assertEqual((self.folder / "all.rec").read_text().count("\na "), 30)
        self.assertIn("part 2 of", self.run_program("why", "all.rec"))
        # Up to a moment: what came later is not there.
        some = self.run_json("cut", "log", "--to", cut["pieces"][len(pieces) // 2]["from"], "--out", "some.rec")
        self.assertEqual(some["pieces"][0]["piece"], cut["pieces"][0]["piece"])
        self.assertLess(len(some["pieces"]), len(pieces))
        self.run_program("replay", "some.rec")
        self.assertIn("Next: ", self.run_program("cut", "log", "--last", "1ms", "--out", "last.rec"))
        self.run_program("replay", "last.rec")

    def test_a_server_that_is_killed_leaves_what_it_recorded(self):
        server = self.start(serve=LOG)
        self.infer(server, 5)
        deadline = time.monotonic() + 60
        while not any("\na " in piece.read_text() for piece in self.pieces()) and time.monotonic() < deadline:
            self.infer(server, 1)
        server.end(signal.SIGKILL)
        self.run_program("cut", "log", "--out", "all.rec")
        self.run_program("replay", "all.rec")
        # The next one adds to it.
        before = len(self.pieces())
        again = self.start(serve=LOG)
        self.infer(again, 1)
        self.assertEqual(again.end(), 0)
        self.assertGreater(len(self.pieces()), before)
        self.run_program("cut", "log", "--out", "all.rec")
        self.run_program("replay", "all.rec")

    def test_what_is_wrong_is_told(self):
        self.write_scenario("anonymous: ada, recordings: log")
        self.run_program("serve", "served.yaml", "--record", "r.rec", status=2,
                         stderr="--record, or 'recordings' in the scenario: one of them\n")
        (self.folder / "log").mkdir()
        self.run_program("cut", "log", "--out", "r.rec", status=2,
                         stderr="log: there is no piece of a log in it (fairlead-TIME.rec)\n")
        server = self.start(serve=LOG)
        self.infer(server, 5)
        server.end()
        for arguments, why in ((("--from", "noon"), "'noon' is no time; expected for example 2026-01-31T12:00:00Z, which "
                                "is UTC\n"),
                               (("--from", "2100-01-01"), None),
                               (("--from", "2100-01-02", "--to", "2100-01-01"), "--from is after --to\n")):
            self.run_program("cut", "log", *arguments, "--out", "r.rec", status=2, stderr=why)
        self.assertFalse((self.folder / "r.rec").exists())


if __name__ == "__main__":
    main()
