#!/usr/bin/env python3
"""The server over gRPC, by a client that knows nothing but the protocol's field numbers.

    grpc_test.py path/to/fairlead

Exits with 77 where Python has no gRPC (Debian: python3-grpcio).
"""

import os
import struct
import sys

try:
    import grpc
except ImportError:
    DEBIAN = "/usr/bin/python3"  # another Python may come first
    if os.path.exists(DEBIAN) and not os.environ.get("FAIRLEAD_TRIED_DEBIAN"):
        os.environ["FAIRLEAD_TRIED_DEBIAN"] = "yes"
        os.execv(DEBIAN, [DEBIAN, *sys.argv])
    print("python3-grpcio is not installed")
    sys.exit(77)

from cli_program import HERE, main
from onnx_file import INT64, UINT8, whole
from serving_program import Serving


def varint(number):
    out = b""
    while number > 127:
        out += bytes([number & 127 | 128])
        number >>= 7
    return out + bytes([number])


def field(number, value):
    """Whole numbers as varints, texts and messages with their length."""
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    value = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(value)) + value


def parse(message):
    """Field numbers and values, in their order."""
    fields, at = [], 0

    def read():
        nonlocal at
        number = shift = 0
        while True:
            byte = message[at]
            at += 1
            number |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return number

    while at < len(message):
        tag = read()
        if tag & 7 == 0:
            fields.append((tag >> 3, read()))
        elif tag & 7 == 2:
            length = read()
            fields.append((tag >> 3, message[at:at + length]))
            at += length
        else:
            raise ValueError(f"wire type {tag & 7}")
    return fields


def first(fields, number):
    return next(value for which, value in fields if which == number)


class Grpc(Serving):
    def connect(self, server):
        line = next(line for line in server.told if line.startswith("and over gRPC at "))
        self.address = line.split(" at ")[1].strip()
        channel = grpc.insecure_channel(self.address)
        self.addCleanup(channel.close)
        return channel

    @staticmethod
    def call(channel, method, message=b"", **more):
        """The fields of the reply."""
        ask = channel.unary_unary(f"/inference.GRPCInferenceService/{method}")
        return parse(ask(message, timeout=300, **more))

    def refusal(self, channel, method, message, code, reason, **more):
        with self.assertRaises(grpc.RpcError) as raised:
            self.call(channel, method, message, **more)
        self.assertEqual(raised.exception.code(), code, raised.exception.details())
        trailing = dict(raised.exception.trailing_metadata())
        self.assertEqual(trailing["fairlead-reason"], reason)
        return trailing

    def request(self, channel, **more):
        metadata = self.call(channel, "ModelMetadata", field(1, "classifier"), **more)
        tensor = parse(first(metadata, 4))
        name, datatype, packed = first(tensor, 1), first(tensor, 2), first(tensor, 3)
        self.assertEqual(datatype, b"FP32")
        self.assertEqual(packed, b"\xff" * 9 + b"\x01\x03\x08\x08")  # -1: any number of samples
        packed, count = bytes([1, 3, 8, 8]), 3 * 8 * 8
        message = (field(1, "classifier") + field(3, "seven") +
                   field(5, field(1, name) + field(2, datatype) + field(3, packed)))
        return message, struct.pack(f"<{count}f", *[0.5] * count)

    def test_the_protocol(self):
        server = self.start(serve="anonymous: ada, grpc: 0")
        channel = self.connect(server)
        self.assertEqual(self.call(channel, "ServerLive"), [(1, 1)])
        self.assertEqual(self.call(channel, "ServerReady"), [(1, 1)])
        self.assertEqual(first(self.call(channel, "ServerMetadata"), 1), b"fairlead")
        self.assertEqual(self.call(channel, "ModelReady", field(1, "classifier")), [(1, 1)])
        self.assertEqual(self.call(channel, "ModelReady", field(1, "none")), [])  # false
        config = parse(first(self.call(channel, "ModelConfig", field(1, "classifier")), 1))
        self.assertEqual(first(parse(first(config, 5)), 2), 11)  # TYPE_FP32
        index = parse(first(self.call(channel, "RepositoryIndex"), 1))
        self.assertEqual((first(index, 1), first(index, 3)), (b"classifier", b"READY"))

        # Probes, and tools that know no file.
        self.assertEqual(channel.unary_unary("/grpc.health.v1.Health/Check")(b"", timeout=300), b"\x08\x01")
        reflection = channel.stream_stream("/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo")
        self.assertIn(b"inference.GRPCInferenceService", next(reflection(iter([field(7, "")]), timeout=300)))

        # The same numbers as over HTTP.
        message, raw = self.request(channel)
        reply = self.call(channel, "ModelInfer", message + field(7, raw))
        self.assertEqual((first(reply, 1), first(reply, 3)), (b"classifier", b"seven"))
        body, _ = self.body(server)
        numbers = server.json("POST", "/v2/models/classifier/infer", body)["outputs"][0]["data"]
        self.assertEqual(first(reply, 6), struct.pack(f"<{len(numbers)}f", *numbers))

        self.refusal(channel, "ModelInfer", field(1, "none") + message[12:] + field(7, raw),
                     grpc.StatusCode.NOT_FOUND, "no-network")
        self.refusal(channel, "ModelInfer", message + field(7, raw[4:]), grpc.StatusCode.INVALID_ARGUMENT,
                     "malformed")
        self.refusal(channel, "ModelInfer", field(4, field(1, "timeout") + field(2, field(2, 1))) + message +
                     field(7, raw), grpc.StatusCode.DEADLINE_EXCEEDED, "deadline-unreachable")
        ben = (("fairlead-tenant", "ben"),)
        self.call(channel, "ModelInfer", message + field(7, raw), metadata=ben)
        trailing = self.refusal(channel, "ModelInfer", message + field(7, raw), grpc.StatusCode.RESOURCE_EXHAUSTED,
                                "over-contract", metadata=ben)
        self.assertGreater(int(trailing["retry-after-ms"]), 0)
        # What is no message at all, and a method that is none.
        for method, sent in (("ModelInfer", b"\xff\xff\xff"), ("Nothing", b"")):
            with self.assertRaises(grpc.RpcError):
                self.call(channel, method, sent)

        statistics = parse(first(self.call(channel, "ModelStatistics", field(1, "classifier")), 1))
        self.assertEqual(first(parse(first(parse(first(statistics, 6)), 1)), 1), 3)  # success.count
        self.call(channel, "RepositoryModelUnload", field(2, "classifier"))
        self.refusal(channel, "ModelInfer", message + field(7, raw), grpc.StatusCode.NOT_FOUND, "no-network")
        self.call(channel, "RepositoryModelLoad", field(2, "classifier"))
        self.call(channel, "ModelInfer", message + field(7, raw))

        # A network that the client brings, with a type of its own.
        def parameter(name, which, value):
            return field(3, field(1, name) + field(2, field(which, value)))

        load = field(2, "whole") + parameter("file:1/model.onnx", 4, whole(UINT8, INT64))
        self.refusal(channel, "RepositoryModelLoad", load, grpc.StatusCode.INVALID_ARGUMENT, "malformed")
        self.call(channel, "RepositoryModelLoad", load + parameter("config", 3, "{}"))
        reply = self.call(channel, "ModelInfer", field(1, "whole") + field(5, field(1, "x") + field(2, "UINT8") +
                          field(3, bytes([1, 4]))) + field(7, bytes([1, 2, 3, 255])))
        self.assertEqual(first(reply, 6), struct.pack("<4q", 1, 2, 3, 255))
        self.refusal(channel, "RepositoryModelLoad", field(2, "nowhere"), grpc.StatusCode.NOT_FOUND, "no-network")

        stream = channel.stream_stream("/inference.GRPCInferenceService/ModelStreamInfer")
        sent = [message + field(7, raw), message, message + field(7, raw)]
        answers = [parse(one) for one in stream(iter(sent), timeout=300)]
        self.assertEqual([[which for which, _ in one] for one in answers], [[2], [1, 2], [2]])
        self.assertEqual(server.end(), 0)

    def test_keys_and_tls(self):
        import shutil
        shutil.copytree(HERE / "tls", self.folder / "tls")
        key = self.run_program("tenant", "add", "ada", "--store", "here.db").strip()
        server = self.start(serve="store: here.db, grpc: 0, tls: {certificate: tls/certificate.pem, key: tls/key.pem}")
        self.connect(server)
        certificate = (HERE / "tls/certificate.pem").read_bytes()
        channel = grpc.secure_channel(self.address.replace("127.0.0.1", "localhost"),
                                      grpc.ssl_channel_credentials(certificate))
        self.addCleanup(channel.close)
        self.assertEqual(self.call(channel, "ServerReady"), [(1, 1)])
        self.refusal(channel, "RepositoryIndex", b"", grpc.StatusCode.UNAUTHENTICATED, "no-identity",
                     metadata=(("fairlead-tenant", "ada"),))
        shown = (("authorization", f"Bearer {key}"),)
        message, raw = self.request(channel, metadata=shown)
        self.call(channel, "ModelInfer", message + field(7, raw), metadata=shown)
        self.refusal(channel, "RepositoryModelUnload", field(2, "classifier"), grpc.StatusCode.PERMISSION_DENIED,
                     "not-operator", metadata=shown)


if __name__ == "__main__":
    main()
