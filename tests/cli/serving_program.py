"""What tests of the server from outside share: a server that runs, and a connection to it."""

import http.client
import json
import math
import os
import shutil
import signal
import ssl
import subprocess
from urllib.parse import urlsplit

from cli_program import HERE, ONNX, PROGRAM, Cli

TENANTS = """
  - {name: ada, networks: [classifier], rate: 1/s, deadline: 300s, target: 90%}
  - {name: ben, networks: [classifier], rate: 1/s, deadline: 300s,
     contract: {rate: 0.001/s, burst: 1, over: refuse}}
"""


class Server:
    """A server that runs, and a connection to it."""

    def __init__(self, test, *arguments):
        environment = dict(os.environ, XDG_CACHE_HOME=str(test.folder / "cache"))
        with open(test.folder / "errors.txt", "ab") as errors:
            self.process = subprocess.Popen([PROGRAM, "serve", *map(str, arguments)], cwd=test.folder, env=environment,
                                            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=errors,
                                            text=True)
        test.addCleanup(self.kill)
        self.told = []
        while not any(line.startswith("  head ") for line in self.told):
            line = self.process.stdout.readline()
            if not line:
                test.fail((test.folder / "errors.txt").read_text())
            self.told.append(line)
        self.url = self.told[0].split(" at ")[1].split(" ")[0]
        self.connect()

    def connect(self):
        parts = urlsplit(self.url)
        if parts.scheme == "https":
            context = ssl.create_default_context(cafile=HERE / "tls/certificate.pem")
            self.connection = http.client.HTTPSConnection(parts.netloc, context=context)
        else:
            self.connection = http.client.HTTPConnection(parts.netloc)

    def ask(self, method, path, body=None, **headers):
        """Status, headers and the whole body."""
        names = {key.replace("_", "-"): value for key, value in headers.items()}
        self.connection.request(method, path, body=body, headers=names)
        reply = self.connection.getresponse()
        return reply.status, reply.headers, reply.read()

    def json(self, method, path, body=None, status=200, **headers):
        got, _, text = self.ask(method, path, None if body is None else json.dumps(body), **headers)
        assert got == status, (got, text)
        return json.loads(text)

    def end(self, which=signal.SIGTERM):
        self.connection.close()
        self.process.send_signal(which)
        self.process.communicate()
        return self.process.returncode

    def kill(self):
        self.connection.close()
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        self.process.stdout.close()


class Serving(Cli):
    def write_scenario(self, serve):
        core = sorted(os.sched_getaffinity(0))[-1]
        shutil.copy(ONNX / "classifier.onnx", self.folder)
        (self.folder / "served.yaml").write_text(
            f"platform: {{accelerators: [{{kind: cpu, units: 1, cores: [{core}]}}]}}\n"
            "networks: {onnx: [classifier.onnx], segments: whole}\npolicies: [edf-h]\nhorizon: 1s\n"
            f"tenants: {TENANTS}serve: {{http: 0, {serve}}}\n", encoding="utf-8")

    def start(self, *arguments, serve="anonymous: ada"):
        self.write_scenario(serve)
        return Server(self, "served.yaml", *arguments)

    def body(self, server, **more):
        """A request for the network, by what it says of itself, and how many numbers it has."""
        tensor, = server.json("GET", "/v2/models/classifier", **self.key)["inputs"]
        shape = [max(extent, 1) for extent in tensor["shape"]]
        count = math.prod(shape)
        return dict(more, inputs=[dict(tensor, shape=shape, data=[0.5] * count)]), count

    key = {}
