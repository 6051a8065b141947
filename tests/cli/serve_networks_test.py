#!/usr/bin/env python3
"""Networks that come while a server runs, of all types of numbers, and a look at it with `top`.

    serve_networks_test.py path/to/fairlead
"""

import base64
import json
import struct

from cli_program import main
from onnx_file import BOOL, FP16, FP32, INT64, UINT8, model, node, whole
from serving_program import Serving


class ServeNetworks(Serving):
    def load(self, server, name, content=None, status=200):
        body = {}
        if content is not None:
            body = {"parameters": {"config": "{}", "file:1/model.onnx": base64.b64encode(content).decode()}}
        return server.json("POST", f"/v2/repository/models/{name}/load", body, status=status)

    def infer(self, server, name, kind, data, shape, **more):
        body = {"inputs": [{"name": "x", "datatype": kind, "shape": shape, "data": data}], **more}
        output, = server.json("POST", f"/v2/models/{name}/infer", body)["outputs"]
        return output["datatype"], output["shape"], output["data"]

    def test_clients_bring_networks_of_all_types(self):
        server = self.start("--record", "r.rec")
        self.load(server, "whole", whole(UINT8, INT64))
        metadata = server.json("GET", "/v2/models/whole")
        self.assertEqual(metadata["inputs"], [{"name": "x", "datatype": "UINT8", "shape": [-1, 4]}])
        self.assertEqual(metadata["outputs"], [{"name": "y", "datatype": "INT64", "shape": [-1, 4]}])
        config = server.json("GET", "/v2/models/whole/config")
        self.assertGreater(config["max_batch_size"], 1)
        self.assertEqual(config["input"], [{"name": "x", "data_type": "TYPE_UINT8", "dims": [4]}])
        self.assertEqual(self.infer(server, "whole", "UINT8", [0, 1, 200, 255], [1, 4]),
                         ("INT64", [1, 4], [0, 1, 200, 255]))
        # Several samples, and other numbers than the network's own.
        self.assertEqual(self.infer(server, "whole", "FP32", [-1.5, 2.5, 3, 4, 5, 6, 7, -8.5], [2, 4]),
                         ("INT64", [2, 4], [0, 2, 3, 4, 5, 6, 7, 0]))
        # Bytes alone, two samples.
        status, headers, reply = server.ask("POST", "/v2/models/whole/infer", bytes(range(8)),
                                            Inference_Header_Content_Length="0")
        self.assertEqual(status, 200, reply)
        self.assertEqual(struct.unpack("<8q", reply[int(headers["Inference-Header-Content-Length"]):]),
                         tuple(range(8)))

        self.load(server, "flags", whole(FP32, BOOL))
        self.assertEqual(self.infer(server, "flags", "FP32", [-1, 0, 0.5, 2], [1, 4])[2], [False, False, True, True])

        self.load(server, "halves", model([node("Relu", "x", "y")], FP16, FP16))
        halves = struct.pack("<4e", -1, 0.1, 2, 65504)
        head = json.dumps({"inputs": [{"name": "x", "datatype": "FP16", "shape": [1, 4],
                                       "parameters": {"binary_data_size": 8}}],
                           "outputs": [{"name": "y", "parameters": {"binary_data": True}}]}).encode()
        status, headers, reply = server.ask("POST", "/v2/models/halves/infer", head + halves,
                                            Inference_Header_Content_Length=str(len(head)))
        self.assertEqual(status, 200, reply)
        self.assertEqual(reply[int(headers["Inference-Header-Content-Length"]):], struct.pack("<4e", 0, 0.1, 2, 65504))

        # Texts are no numbers, and whole numbers are not computed with.
        for bad, why in ((whole(8, FP32), "texts"), (model([node("Relu", "x", "y")], INT64, INT64), "Cast"),
                         (b"no file", "bad.onnx")):
            self.assertIn(why, self.load(server, "bad", bad, status=400)["error"])
        self.assertEqual(server.ask("GET", "/v2/models/bad")[0], 404)
        self.assertEqual(server.end(), 0)
        self.assertIn("every decision is the same", self.run_program("replay", "r.rec"))

    def test_networks_come_from_a_folder_and_go(self):
        (self.folder / "models/deep/3").mkdir(parents=True)
        (self.folder / "models/flat.onnx").write_bytes(whole(UINT8, INT64))
        (self.folder / "models/deep/3/model.onnx").write_bytes(whole(FP32, FP16))
        server = self.start("--record", "r.rec", serve="anonymous: ada, models: models")
        index = {one["name"]: one["state"] for one in server.json("POST", "/v2/repository/index", {})}
        self.assertEqual(index, {"classifier": "READY", "deep": "UNAVAILABLE", "flat": "UNAVAILABLE"})
        for name in ("deep", "flat", "deep", "flat"):
            self.load(server, name)
            self.assertEqual(server.ask("GET", f"/v2/models/{name}/ready")[0], 200)
            if name == "flat":
                self.infer(server, name, "UINT8", [1, 2, 3, 4], [1, 4])
            server.json("POST", f"/v2/repository/models/{name}/unload", {})
            self.assertEqual(server.ask("GET", f"/v2/models/{name}/ready")[0], 404)
        self.load(server, "squeezenet1-1")  # built in
        self.assertEqual(server.ask("GET", "/v2/models/squeezenet1-1/ready")[0], 200)
        for name in ("none", "..%2Fclassifier", "..%2F..%2Fetc%2Fpasswd"):
            self.load(server, name, status=404)
        self.assertIn("unload it first", self.load(server, "classifier", whole(UINT8, INT64), status=400)["error"])
        body, _ = self.body(server)
        server.json("POST", "/v2/models/classifier/infer", body)
        self.assertEqual(server.end(), 0)
        self.assertIn("every decision is the same", self.run_program("replay", "r.rec"))

    def test_agreements_of_the_store_wait_for_their_network(self):
        store = ("--store", "here.db")
        cleo = self.run_program("tenant", "add", "cleo", *store).strip()
        boss = {"Authorization": "Bearer " + self.run_program("tenant", "operator", *store).strip()}
        self.run_program("agreement", "add", "cleo", "later", "--deadline", "300s", *store)
        server = self.start(serve="store: here.db, flush: 10ms")
        body = json.dumps({"inputs": [{"name": "x", "datatype": "UINT8", "shape": [1, 4], "data": [1, 2, 3, 4]}]})
        path = "/v2/models/later/infer"
        key = {"Authorization": f"Bearer {cleo}"}
        self.assertEqual(server.ask("POST", path, body, **key)[0], 404)
        load = {"parameters": {"config": "{}", "file:1/model.onnx": base64.b64encode(whole(UINT8, INT64)).decode()}}
        self.assertEqual(server.ask("POST", "/v2/repository/models/later/load", json.dumps(load), **key)[0], 403)
        server.json("POST", "/v2/repository/models/later/load", load, **boss)
        status = 404
        while status == 404:  # it follows within its flush
            status, _, text = server.ask("POST", path, body, **key)
        self.assertEqual(status, 200, text)

    def test_top_shows_who_gets_what(self):
        server = self.start()
        body, _ = self.body(server)
        for _ in range(3):
            server.json("POST", "/v2/models/classifier/infer", body)
        shown = self.run_json("top", server.url, "--once")
        self.assertEqual(shown["policy"], "edf-h")
        ada = next(one for one in shown["agreements"] if one["tenant"] == "ada")
        self.assertEqual((ada["requests"], ada["hits"], ada["target"]), (3, 3, 0.9))
        self.assertEqual(shown["networks"][0]["name"], "classifier")
        text = self.run_program("top", server.url, "--once")
        self.assertIn("ada", text)
        self.assertLessEqual(max(map(len, text.splitlines())), 100)
        self.run_program("top", "http://127.0.0.1:1", "--once", status=3, stderr=None)
        self.run_program("top", server.url, "--interval", "1", status=2, stderr=None)


if __name__ == "__main__":
    main()
