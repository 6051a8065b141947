#!/usr/bin/env python3
"""Load on a server, from outside: the requests of a scenario, over HTTP.

    load_test.py path/to/fairlead
"""

import shutil
import signal
import subprocess

import serving_program
from cli_program import HERE, PROGRAM, Cli, main


class Load(Cli):
    def start(self, serve):
        serving_program.Serving.write_scenario(self, serve)
        scenario = self.folder / "served.yaml"
        scenario.write_text(scenario.read_text().replace("rate: 1/s", "rate: 40/s"))
        return serving_program.Server(self, "served.yaml")

    def load(self, server, *more, **expected):
        return self.run_json("load", "served.yaml", "--url", server.url, *more, **expected)

    def test_every_request_of_the_scenario_is_sent_and_counted(self):
        server = self.start("anonymous: ada")
        result = self.load(server, "--compare")
        self.assertEqual(result["simulated_policy"], "edf-h")
        ada, ben = result["agreements"]
        self.assertEqual((ada["tenant"], ada["network"], ada["target"]), ("ada", "classifier", 0.9))
        self.assertGreater(ada["requests"], 10)
        self.assertEqual((ada["hits"], ada["reasons"]), (ada["requests"], {}))
        self.assertEqual(ada["simulated"]["requests"], ada["requests"])
        self.assertEqual(ada["difference_points"], 0)
        # The contract of ben is for one request.
        self.assertEqual(ben["reasons"], {"over-contract": ben["requests"] - 1})
        self.assertEqual(ben["simulated"]["over_contract"], ben["requests"] - 1)
        text = self.run_program("load", "served.yaml", "--url", server.url, "--seed", "2", "--horizon", "500ms")
        self.assertIn("with seed 2\n", text)
        self.assertNotIn("simulated", text)

    def test_tenants_show_their_keys(self):
        keys = {name: self.run_program("tenant", "add", name, "--store", "here.db").strip() for name in ("ada", "ben")}
        server = self.start("store: here.db, flush: 10ms")
        (self.folder / "keys.txt").write_text(f"# keys\nada {keys['ada']}\n", encoding="utf-8")
        ada, ben = self.load(server, "--keys", "keys.txt", "--key", f"ben={keys['ben']}")["agreements"]
        self.assertEqual(ada["hits"], ada["requests"])
        self.assertEqual(ben["hits"], 1)
        self.run_program("load", "served.yaml", "--url", server.url, "--keys", "keys.txt", status=3,
                         stderr=None)

    def test_it_speaks_tls(self):
        shutil.copytree(HERE / "tls", self.folder / "tls")
        server = self.start("anonymous: ada, tls: {certificate: tls/certificate.pem, key: tls/key.pem}")
        ada, _ = self.load(server, "--ca", "tls/certificate.pem", "--horizon", "300ms")["agreements"]
        self.assertEqual(ada["hits"], ada["requests"])
        self.run_program("load", "served.yaml", "--url", server.url, status=3, stderr=None)  # nobody vouches for it

    def test_it_speaks_grpc(self):
        shutil.copytree(HERE / "tls", self.folder / "tls")
        for scheme, tls in (("grpc", ""), ("grpcs", ", tls: {certificate: tls/certificate.pem, key: tls/key.pem}")):
            server = self.start("grpc: 0, anonymous: ada" + tls)
            line, = (line for line in server.told if "gRPC at" in line)
            ada, ben = self.run_json("load", "served.yaml", "--url", f"{scheme}://{line.split(' at ')[1].strip()}",
                                     "--ca", "tls/certificate.pem")["agreements"]
            self.assertEqual(ada["hits"], ada["requests"])
            self.assertEqual(ben["reasons"], {"over-contract": ben["requests"] - 1})
            server.end()

    def test_a_server_that_dies_is_seen(self):
        server = self.start("anonymous: ada")
        load = subprocess.Popen([PROGRAM, "load", "served.yaml", "--url", server.url, "--horizon", "3s"],
                                cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        while b'fairlead_requests_total{tenant="ada",network="classifier",outcome="hit"} 0\n' in server.ask("GET", "/metrics")[2]:
            self.assertIsNone(load.poll(), "it ended before it was seen")
        server.end(signal.SIGKILL)
        text, errors = load.communicate()
        self.assertEqual(load.returncode, 0, errors)
        self.assertIn("no-reply", text)

    def test_mistakes_are_told(self):
        serving_program.Serving.write_scenario(self, "anonymous: ada")
        for arguments, told in (
                (("--url", "127.0.0.1:1"), "'127.0.0.1:1' is no address of a server; expected for example "
                                           "http://127.0.0.1:8000\n"),
                (("--url", "http://127.0.0.1:1", "--key", "ada"), "--key ada: expected TENANT=KEY\n"),
                (("--url", "http://127.0.0.1:1", "--key", "eve=k"),
                 "a key is given for 'eve', who is no tenant of the scenario\n"),
                (("--url", "http://127.0.0.1:1", "--horizon", "5"), "--horizon 5: expected a time such as 30s\n")):
            with self.subTest(arguments):
                self.run_program("load", "served.yaml", *arguments, status=2, stderr=told)
        run = subprocess.run([PROGRAM, "load", "served.yaml", "--url", "http://127.0.0.1:1"], cwd=self.folder,
                             capture_output=True, text=True)
        self.assertEqual(run.returncode, 3)
        self.assertIn("no-reply: Connection refused", run.stderr)


if __name__ == "__main__":
    main()
