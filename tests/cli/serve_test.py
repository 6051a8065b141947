#!/usr/bin/env python3
"""The server from outside: calls over HTTP, tenants and keys, draining, restarts.

    serve_test.py path/to/fairlead
"""

import gzip
import http.client
import json
import os
import shutil
import signal
import socket
import ssl
import struct
import subprocess
import threading
import time
from pathlib import Path
from urllib.parse import urlsplit

from cli_program import HERE, PROGRAM, Cli, main
from serving_program import Server, Serving


class Serve(Serving):
    def test_it_serves_and_drains(self):
        server = self.start("--record", "r.rec")
        self.assertEqual(server.json("GET", "/v2/health/live"), {"live": True})
        self.assertEqual(server.json("GET", "/v2/health/ready"), {"ready": True})
        self.assertEqual(server.json("GET", "/v2")["name"], "fairlead")
        self.assertEqual(server.json("GET", "/v2/models/classifier/ready")["ready"], True)
        body, count = self.body(server, id="seven")
        first = server.json("POST", "/v2/models/classifier/infer", body)
        self.assertEqual((first["model_name"], first["id"]), ("classifier", "seven"))
        numbers = first["outputs"][0]["data"]
        self.assertGreater(len(numbers), 0)

        # The same as bytes, in both forms, has the same result.
        raw = struct.pack(f"<{count}f", *[0.5] * count)
        wanted = struct.pack(f"<{len(numbers)}f", *numbers)
        tensor = dict(body["inputs"][0], parameters={"binary_data_size": len(raw)})
        del tensor["data"]
        head = json.dumps({"inputs": [tensor], "parameters": {"binary_data_output": True}}).encode()
        for text, sent in ((head, head + raw), (b"", raw)):
            status, headers, reply = server.ask("POST", "/v2/models/classifier/infer", sent,
                                                Inference_Header_Content_Length=str(len(text)))
            self.assertEqual(status, 200, reply)
            self.assertEqual(reply[int(headers["Inference-Header-Content-Length"]):], wanted)

        # Two networks' worth of errors, and the connection is still good.
        for path, sent, status, reason in (
                ("/v2/models/classifier/infer", {}, 400, "malformed"),
                ("/v2/models/classifier/infer", {"inputs": [{"name": "x", "datatype": "BYTES", "shape": [1],
                                                             "data": ["a"]}]}, 400, "malformed"),
                ("/v2/models/none/infer", body, 404, "no-network"),
                ("/v2/models/classifier/infer", dict(body, parameters={"timeout": 1}), 504, "deadline")):
            got, headers, text = server.ask("POST", path, json.dumps(sent))
            self.assertEqual(got, status, text)
            self.assertIn(reason, headers["Fairlead-Reason"])
            self.assertIn("error", json.loads(text))
        statistics, = server.json("GET", "/v2/models/stats")["model_stats"]
        self.assertEqual(statistics["inference_stats"]["success"]["count"], 3)
        self.assertEqual(server.json("POST", "/v2/repository/index", {}),
                         [{"name": "classifier", "version": "1", "state": "READY", "reason": ""}])
        self.check_metrics(server.ask("GET", "/metrics")[2].decode())

        self.assertEqual(server.end(), 0)
        self.assertIn("drained", self.read("errors.txt").decode())
        self.assertIn("every decision is the same", self.run_program("replay", "r.rec"))

    def check_metrics(self, text):
        self.assertIn('fairlead_requests_total{tenant="ada",network="classifier",outcome="hit"} 3\n', text)
        if shutil.which("promtool"):
            subprocess.run(["promtool", "check", "metrics"], input=text, text=True, check=True)

    def test_operators_take_accelerators_away_and_change_the_policy(self):
        server = self.start("--record", "r.rec")
        body, _ = self.body(server)
        path = "/v2/models/classifier/infer"
        online = {"name": "cpu", "kind": "cpu", "online": True}
        self.assertEqual(server.json("GET", "/fairlead/accelerators"), [online])
        server.json("PUT", "/fairlead/accelerators/cpu", {"online": False})
        self.assertEqual(server.json("GET", "/fairlead/accelerators"), [dict(online, online=False)])
        status, headers, _ = server.ask("POST", path, json.dumps(body))
        self.assertEqual((status, headers["Fairlead-Reason"]), (503, "no-capacity"))
        server.json("PUT", "/fairlead/accelerators/cpu", {"online": True})
        server.json("POST", path, body)

        server.json("PUT", "/fairlead/policy", {"policy": "fcfs-h"})
        self.assertEqual(server.json("GET", "/fairlead/policy"), {"policy": "fcfs-h"})
        server.json("POST", path, body)
        self.assertIn("no-such", server.json("PUT", "/fairlead/policy", {"policy": "no-such"}, status=400)["error"])
        reads = {"policy": f"goal-directed:ratios={__file__}"}  # whose first line is none of the caller's business
        self.assertIn("only files that the scenario's own", server.json("PUT", "/fairlead/policy", reads, status=400)["error"])
        self.assertEqual(server.json("GET", "/fairlead/policy"), {"policy": "fcfs-h"})
        self.assertEqual(server.end(), 0)
        self.assertIn("every decision is the same", self.run_program("replay", "r.rec"))

    def test_beyond_its_contract_a_tenant_is_told_when_to_try_again(self):
        server = self.start()
        body, _ = self.body(server)
        path = "/v2/models/classifier/infer"
        server.json("POST", path, body, Fairlead_Tenant="ben")
        status, headers, _ = server.ask("POST", path, json.dumps(body), Fairlead_Tenant="ben")
        self.assertEqual((status, headers["Fairlead-Reason"]), (429, "over-contract"))
        self.assertGreater(int(headers["Retry-After"]), 0)
        server.json("POST", path, body, Fairlead_Tenant="ada")
        self.assertEqual(server.ask("POST", path, json.dumps(body), Fairlead_Tenant="eve")[0], 403)

    def test_the_line_that_it_prints_works(self):
        if not shutil.which("curl"):
            self.skipTest("there is no curl")
        server = self.start()
        line = next(line for line in server.told if line.startswith("  head "))
        reply = subprocess.run(["sh", "-c", line], capture_output=True, check=True).stdout
        self.assertIn(b'{"model_name":"classifier"', reply)

    def test_tenants_have_keys_and_restarts_go_on(self):
        store = ("--store", "here.db")
        ada = self.run_program("tenant", "add", "ada", *store).strip()
        boss = self.run_program("tenant", "operator", *store).strip()
        path = "/v2/models/classifier/infer"
        for which in (signal.SIGTERM, signal.SIGKILL, signal.SIGTERM):
            server = self.start(serve="store: here.db, flush: 10ms")
            self.key = {"Authorization": f"Bearer {ada}"}
            body, _ = self.body(server)
            self.assertEqual(server.ask("POST", path, json.dumps(body))[0], 401)
            self.assertEqual(server.ask("POST", path, json.dumps(body), Fairlead_Tenant="ada")[0], 401)
            server.json("POST", path, body, **self.key)
            self.assertEqual(server.ask("GET", "/metrics", **self.key)[0], 403)
            self.wait_for(server, f"Bearer {boss}", "hit")
            if which == signal.SIGKILL:
                self.wait_for_store("hit")
            server.end(which)
            self.hits += 1
        # A tenant that comes while it runs.
        server = self.start(serve="store: here.db, flush: 10ms")
        cleo = self.run_program("tenant", "add", "cleo", *store).strip()
        self.run_program("agreement", "add", "cleo", "classifier", "--deadline", "300s", "--target", "50%", *store)
        status = 401
        while status in (401, 403, 404):  # it follows within its flush
            status, _, text = server.ask("POST", path, json.dumps(body), Authorization=f"Bearer {cleo}")
        self.assertEqual(status, 200, text)
        self.run_program("tenant", "revoke", cleo.split("-")[1], *store)
        while status != 401:
            status, _, text = server.ask("POST", path, json.dumps(body), Authorization=f"Bearer {cleo}")
            self.assertIn(status, (200, 401), text)

    def status_of(self, server, *pieces):
        """The status of the reply to raw bytes; none where the server hangs up without one."""
        parts = urlsplit(server.url)
        with socket.create_connection((parts.hostname, parts.port)) as client:
            try:
                for piece in pieces:
                    client.sendall(piece)
                reply = b""
                while b"\r\n" not in reply:
                    some = client.recv(4096)
                    if not some:
                        break
                    reply += some
            except ConnectionError:
                return None
        return int(reply.split()[1]) if reply else None

    def test_it_outlives_hostile_clients(self):
        server = self.start(serve="anonymous: ada, limits: {body: 1MB, header: 4kB, header_time: 1s, "
                                  "body_time: 1s, idle_time: 60s}")
        good, _ = self.body(server)
        path = "/v2/models/classifier/infer"

        def post(body, *headers):
            lines = [f"POST {path} HTTP/1.1", "Host: x", f"Content-Length: {len(body)}", *headers, "", ""]
            return "\r\n".join(lines).encode() + body

        def infer(**changes):
            return post(json.dumps({"inputs": [dict(good["inputs"][0], **changes)]}).encode())

        start = f"POST {path} HTTP/1.1\r\nHost: x\r\n".encode()
        length = "Inference-Header-Content-Length"
        hostile = {
            "not HTTP": (b"\x16\x03\x01\x02\x00\x01\r\n\r\n", 400),
            "no host": (b"GET /v2 HTTP/1.1\r\n\r\n", 400),
            "an endless header": (start + b"X: " + b"y" * 100_000, 431),
            "a large body": (start + b"Content-Length: 2000000\r\n\r\n", 413),
            "a length beyond everything": (start + b"Content-Length: 99999999999999999999\r\n\r\n", 400),
            "two lengths": (start + b"Content-Length: 1\r\nContent-Length: 2\r\n\r\nab", 400),
            "chunks without end": (start + b"Transfer-Encoding: chunked\r\n\r\n" + (b"10000\r\n" + b"x" * 65536 +
                                                                               b"\r\n") * 17, 413),
            "chunks that are none": (start + b"Transfer-Encoding: chunked\r\n\r\nzz\r\n", 400),
            "a slow header": (start, None),
            "a slow body": (start + b"Content-Length: 10\r\n\r\n{", None),
            "deep lists": (post(b'{"inputs":' + b"[" * 100_000 + b"]" * 100_000 + b"}"), 400),
            "deep data": (infer(data=json.loads("[" * 60 + "1" + "]" * 60)), 400),
            "half an object": (post(b'{"inputs":[{"name"'), 400),
            "no UTF-8": (post(b'{"inputs":[{"name":"\xff\xfe"}]}'), 400),
            "an unknown type": (infer(datatype="FP99"), 400),
            "texts": (infer(datatype="BYTES", data=["a"]), 400),
            "a negative shape": (infer(shape=[-1, -5]), 400),
            "a huge shape": (infer(shape=[2**62, 2**62]), 400),
            "numbers that are none": (infer(data=["NaN"]), 400),
            "JSON beyond the body": (post(b"{}", f"{length}: 99"), 400),
            "a negative part of JSON": (post(b"{}", f"{length}: -1"), 400),
            "bytes that are not there": (post(json.dumps({"inputs": [dict(
                {key: good["inputs"][0][key] for key in ("name", "datatype", "shape")},
                parameters={"binary_data_size": 2**63})]}).encode()), 400),
            "a compressed body that is none": (post(b"{}", "Content-Encoding: gzip"), 400),
            "a bomb": (post(gzip.compress(bytes(10_000_000)), "Content-Encoding: gzip"), 413),
            "a body compressed by nobody knows what": (post(b"{}", "Content-Encoding: br"), 415),
        }
        for what, (sent, status) in hostile.items():
            with self.subTest(what):
                self.assertEqual(self.status_of(server, sent), status)
                server.json("POST", path, good)  # and it lives
        self.assertEqual(server.end(), 0)

    def test_memory_comes_back_after_a_burst(self):
        self.write_scenario("anonymous: ada")
        scenario = self.folder / "served.yaml"
        text = scenario.read_text(encoding="utf-8").replace("onnx: [classifier.onnx], segments: whole",
                                                            "segments: blocks, layers_per_block: 5")
        scenario.write_text(text.replace("classifier", "squeezenet1-1"), encoding="utf-8")
        server = Server(self, "served.yaml")
        resident = Path("/proc") / str(server.process.pid) / "status"

        def megabytes():
            return int(resident.read_text(encoding="ascii").split("VmRSS:")[1].split()[0]) / 1e3

        statuses = []

        def call():
            connection = http.client.HTTPConnection(urlsplit(server.url).netloc)
            connection.request("POST", "/v2/models/squeezenet1-1/infer", bytes(602112),
                               {"Inference-Header-Content-Length": "0"})
            statuses.append(connection.getresponse().status)
            connection.close()

        before = megabytes()
        for _ in range(2):  # the allocator learns from the first to keep such pieces
            clients = [threading.Thread(target=call) for _ in range(200)]
            for client in clients:
                client.start()
            for client in clients:
                client.join()
        self.assertEqual(statuses, [200] * 400)
        while megabytes() > before + 40:  # never in vain: the test as a whole has a limit of time
            time.sleep(0.1)
        self.assertEqual(server.end(), 0)

    def test_operators_add_tenants_over_the_wire(self):
        boss = {"Authorization": "Bearer " + self.run_program("tenant", "operator", "--store", "here.db").strip()}
        server = self.start(serve="store: here.db, flush: 10ms")
        made = server.json("PUT", "/fairlead/tenants/cleo", {"weight": 2}, **boss)
        self.assertEqual(made["tenant"], "cleo")
        terms = {"deadline": "300s", "target": "50%", "contract": {"rate": "20/s", "burst": 20, "over": "refuse"}}
        server.json("PUT", "/fairlead/agreements/cleo/classifier", terms, **boss)
        self.key = {"Authorization": f"Bearer {made['key']}"}
        while server.ask("GET", "/v2/models/classifier", **self.key)[0] == 401:
            pass  # it follows within its flush
        body, _ = self.body(server)
        status = 403
        while status in (403, 404):
            status, _, text = server.ask("POST", "/v2/models/classifier/infer", json.dumps(body), **self.key)
        self.assertEqual(status, 200, text)
        self.assertEqual(server.ask("PUT", "/fairlead/tenants/eve", **self.key)[0], 403)
        self.assertEqual(server.ask("PUT", "/fairlead/tenants/eve")[0], 401)
        self.assertEqual([tenant["name"] for tenant in self.run_json("tenant", "list", "--store", "here.db")],
                         ["cleo", None])
        stored, = self.run_json("agreement", "list", "--store", "here.db")
        self.assertEqual(stored, {"tenant": "cleo", "network": "classifier", "terms": terms})
        server.json("DELETE", "/fairlead/tenants/cleo", **boss)
        while server.ask("GET", "/v2/models/classifier", **self.key)[0] != 401:
            pass

    hits = 1

    def wait_for(self, server, boss, outcome):
        """The answer is written before the books are."""
        line = f'fairlead_requests_total{{tenant="ada",network="classifier",outcome="{outcome}"}} {self.hits}\n'
        while True:
            text = server.ask("GET", "/metrics", Authorization=boss)[2].decode()
            if line in text:
                return

    def wait_for_store(self, outcome):
        import sqlite3
        with sqlite3.connect(self.folder / "here.db") as database:
            while True:
                rows = database.execute("SELECT books FROM indicators WHERE tenant = 'ada'").fetchall()
                kept, = json.loads(rows[0][0])["agreements"] if rows else [{}]
                if f'{self.hits}' in json.dumps(kept.get("history", {}).get("lifetime", {})):
                    return

    def test_it_speaks_tls(self):
        shutil.copytree(HERE / "tls", self.folder / "tls")
        server = self.start(serve="anonymous: ada, tls: {certificate: tls/certificate.pem, key: tls/key.pem}")
        self.assertTrue(server.url.startswith("https://"))
        body, _ = self.body(server)
        for _ in range(3):
            server.json("POST", "/v2/models/classifier/infer", body)
        parts = urlsplit(server.url)
        with self.assertRaises((http.client.HTTPException, OSError)):
            clear = http.client.HTTPConnection(parts.netloc)
            clear.request("GET", "/v2/health/live")
            clear.getresponse()
        clear.close()
        server.json("GET", "/v2/health/live")

    def test_who_says_no_name_is_the_first_tenant(self):
        server = self.start(serve="anonymous: true")  # which waits for the line to try
        body, _ = self.body(server)
        server.json("POST", "/v2/models/classifier/infer", body)

    def test_the_same_file_simulates(self):
        self.write_scenario("anonymous: ada")
        run, = self.run_json("simulate", "served.yaml")["runs"]
        self.assertGreaterEqual(run["requests"], 0)

    def test_it_says_what_is_wrong_before_it_serves(self):
        self.write_scenario("anonymous: nobody")
        self.run_program("serve", "served.yaml", status=3, stderr=None)
        (self.folder / "plain.yaml").write_text((HERE / "small.yaml").read_text())
        shutil.copy(HERE / "small.csv", self.folder)
        run = subprocess.run([PROGRAM, "serve", "plain.yaml"], cwd=self.folder, capture_output=True, text=True)
        self.assertEqual(run.returncode, 2)
        self.assertIn("there is no section 'serve'", run.stderr)

    def test_the_demo_is_printed(self):
        (self.folder / "demo.yaml").write_text(self.run_program("serve", "--print"))
        self.run_program("check", "demo.yaml", stderr=None)


class Tenants(Cli):
    def test_they_are_added_listed_and_removed(self):
        self.run_program("tenant", "list", status=2, stderr=None)  # there is no store yet
        key = self.run_program("tenant", "add", "ada", "--weight", "2").strip()
        self.assertRegex(key, "^fl-[0-9a-f]{16}-[0-9a-f]{64}$")
        other = self.run_program("tenant", "key", "ada").strip()
        tenant, = self.run_json("tenant", "list")
        self.assertEqual((tenant["name"], tenant["weight"]), ("ada", 2))
        self.assertEqual(sorted(tenant["keys"]), sorted([key.split("-")[1], other.split("-")[1]]))
        self.assertNotIn(key.split("-")[2].encode(), self.read("fairlead.db"))
        self.run_program("tenant", "add", "ada", status=2,
                         stderr="fairlead.db: there is a tenant 'ada' already\n")
        self.run_program("agreement", "add", "ada", "net", "--deadline", "5ms", "--target", "95%", "--rate", "20/s",
                         "--burst", "40", "--over", "refuse")
        agreement, = self.run_json("agreement", "list")
        self.assertEqual(agreement, {"tenant": "ada", "network": "net", "terms": {
            "deadline": "5ms", "target": "95%", "contract": {"rate": "20/s", "burst": "40", "over": "refuse"}}})
        self.run_program("agreement", "add", "ada", "net", "--deadline", "5", status=2, stderr=None)
        self.run_program("agreement", "add", "ada", "net", status=2,
                         stderr="fairlead agreement add: --deadline is needed\n")
        self.run_program("agreement", "remove", "ada", "net")
        self.assertEqual(self.run_json("agreement", "list"), [])
        self.run_program("tenant", "remove", "ada")
        self.assertEqual(self.run_json("tenant", "list"), [])
        self.run_program("tenant", "remove", "ada", status=2, stderr="fairlead.db: there is no tenant 'ada'\n")


if __name__ == "__main__":
    main()
