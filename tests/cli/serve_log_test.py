#!/usr/bin/env python3
"""What a server tells of itself: a log of events, and systemd's protocol.

    serve_log_test.py path/to/fairlead
"""

import json
import os
import socket

import serving_program
from cli_program import Cli, main


class ServeLog(Cli):
    def start(self, serve, *arguments):
        serving_program.Serving.write_scenario(self, serve)
        return serving_program.Server(self, "served.yaml", *arguments)

    def events(self):
        return [json.loads(line) for line in (self.folder / "events.log").read_text().splitlines()]

    def test_each_event_is_a_line(self):
        server = self.start("anonymous: ada, store: here.db, flush: 10ms", "--log", "events.log", "--log-level", "debug")
        body, _ = serving_program.Serving.body(self, server)
        server.json("POST", "/v2/models/classifier/infer", body)
        self.run_program("tenant", "add", "dora", "--store", "here.db")
        self.run_program("agreement", "add", "dora", "classifier", "--deadline", "1s", "--store", "here.db")
        while not any(event["event"] == "agreement-began" for event in self.events()):
            pass
        (self.folder / "here.db").rename(self.folder / "away.db")
        while not any(event["event"] == "trouble" for event in self.events()):
            pass
        self.assertEqual(server.end(), 0)
        events = self.events()
        for event in events:
            self.assertRegex(event["time"], r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$")
        names = [event["event"] for event in events]
        self.assertEqual((names[0], names[1], names[-1]), ("starting", "ready", "drained"))
        self.assertIn("draining", names)
        by_name = {event["event"]: event for event in events}
        self.assertEqual(by_name["ready"]["url"], server.url)
        self.assertEqual(by_name["tenant-joined"]["tenant"], "dora")
        self.assertEqual(by_name["agreement-began"]["network"], "classifier")
        self.assertIn("the file has gone", by_name["trouble"]["message"])
        request = by_name["request"]
        self.assertEqual((request["tenant"], request["outcome"], request["level"]), ("ada", "hit", "debug"))
        self.assertGreater(request["took_ms"], 0)

    key = {}

    def test_the_service_manager_hears_of_it(self):
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
            manager.bind(str(self.folder / "notify"))
            os.environ.update(NOTIFY_SOCKET=str(self.folder / "notify"), WATCHDOG_USEC="20000")
            try:
                server = self.start("anonymous: ada")
            finally:
                del os.environ["NOTIFY_SOCKET"], os.environ["WATCHDOG_USEC"]
            heard = {manager.recv(4096).decode()}
            while not {"WATCHDOG=1", f"READY=1\nSTATUS=serves at {server.url}"} <= heard:
                heard.add(manager.recv(4096).decode())
            server.process.terminate()
            while "STOPPING=1\nSTATUS=draining" not in heard:
                heard.add(manager.recv(4096).decode())
            self.assertEqual(server.process.wait(), 0)

    def test_a_log_that_cannot_be_is_told(self):
        serving_program.Serving.write_scenario(self, "anonymous: ada")
        self.run_program("serve", "served.yaml", "--log", "no/where.log", status=2,
                         stderr="no/where.log: cannot be written\n")


if __name__ == "__main__":
    main()
