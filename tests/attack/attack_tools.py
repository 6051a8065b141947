"""What the attacks share: clients that send what no client should, without any library, from addresses of their own
(127.0.0.2 and on), and a quiet tenant that keeps its own account of what it gets."""

import http.client
import multiprocessing
import socket
import struct
import sys
import threading
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "cli"))

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
DATA, HEADERS, RST_STREAM, SETTINGS, PING, GOAWAY, WINDOW_UPDATE, CONTINUATION = 0, 1, 3, 4, 6, 7, 8, 9
END_STREAM, END_HEADERS, ACK = 1, 4, 1


def connect(port, source="127.0.0.2", timeout=10):
    """A connection from an address of its own."""
    return socket.create_connection(("127.0.0.1", port), timeout, (source, 0))


def head(path, length, key=None, *lines):
    text = f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: {length}\r\n"
    if key:
        text += f"Authorization: Bearer {key}\r\n"
    return (text + "".join(line + "\r\n" for line in lines) + "\r\n").encode()


def send_all(sockets, pieces):
    """Sends what the other side takes, to all of them in turn; who is hung up on is left out."""
    alive = list(sockets)
    for piece in pieces:
        for one in list(alive):
            try:
                one.sendall(piece)
            except OSError:
                alive.remove(one)
        if not alive:
            break
    return alive


class Flood(threading.Thread):
    """Does something again and again until it is to stop; what goes wrong with it is its own affair."""

    def __init__(self, act):
        super().__init__(daemon=True)
        self.act = act
        self.over = threading.Event()
        self.count = 0
        self.start()

    def run(self):
        while not self.over.is_set():
            try:
                self.act()
                self.count += 1
            except OSError:
                time.sleep(0.01)

    def end(self):
        self.over.set()
        self.join(30)


class Http2:
    """HTTP/2 as far as an attack needs it: frames out, within the windows that the other side gives, and which came back."""

    def __init__(self, port, source="127.0.0.2"):
        self.socket = connect(port, source)
        self.socket.sendall(PREFACE + self.frame(SETTINGS, 0, 0))
        self.next = 1
        self.got = b""
        self.window = self.first_window = 65535  # of the connection; of a new stream
        self.windows = {}
        self.ended = set()  # streams; 0: the connection

    @staticmethod
    def frame(kind, flags, stream, payload=b""):
        return struct.pack(">I", len(payload))[1:] + bytes([kind, flags]) + struct.pack(">I", stream) + payload

    @staticmethod
    def block(fields):
        """Header fields, none of them compressed or kept."""
        out = b""
        for name, value in fields:
            assert len(name) < 127 and len(value) < 127, "a length of one byte"
            out += b"\0" + bytes([len(name)]) + name.encode() + bytes([len(value)]) + value.encode()
        return out

    def headers(self, path, key=None, *more):
        """A call's, and the number of its stream."""
        fields = [(":method", "POST"), (":scheme", "http"), (":path", path), (":authority", "127.0.0.1"),
                  ("te", "trailers"), ("content-type", "application/grpc"), *more]
        if key:
            fields.append(("authorization", f"Bearer {key}"))
        stream = self.next
        self.next += 2
        return self.frame(HEADERS, END_HEADERS, stream, self.block(fields)), stream

    def reset(self, stream):
        return self.frame(RST_STREAM, 0, stream, struct.pack(">I", 8))

    def take(self, seconds):
        """What comes within the time, if anything does."""
        self.socket.settimeout(max(seconds, 0.001))
        try:
            piece = self.socket.recv(65536)
        except TimeoutError:
            return
        except OSError:
            piece = b""
        if not piece:
            self.ended.add(0)
        self.got += piece
        while len(self.got) >= 9 and len(self.got) >= 9 + int.from_bytes(self.got[:3], "big"):
            length = int.from_bytes(self.got[:3], "big")
            kind, flags, stream = self.got[3], self.got[4], int.from_bytes(self.got[5:9], "big")
            payload, self.got = self.got[9:9 + length], self.got[9 + length:]
            if kind == SETTINGS and not flags & ACK:
                for at in range(0, length, 6):
                    name, value = struct.unpack(">HI", payload[at:at + 6])
                    if name == 4:
                        self.windows = {one: now + value - self.first_window for one, now in self.windows.items()}
                        self.first_window = value
                self.socket.sendall(self.frame(SETTINGS, ACK, 0))
            elif kind == WINDOW_UPDATE and stream == 0:
                self.window += int.from_bytes(payload, "big")
            elif kind == WINDOW_UPDATE and stream in self.windows:
                self.windows[stream] += int.from_bytes(payload, "big")
            elif kind == GOAWAY:
                self.ended.add(0)
            elif kind == RST_STREAM or flags & END_STREAM and kind in (DATA, HEADERS):
                self.ended.add(stream)

    def send(self, stream, payload, seconds, last=False):
        """As much of it as the windows take within the time, and how much that was."""
        self.windows.setdefault(stream, self.first_window)
        end = time.monotonic() + seconds
        at = 0
        while at < len(payload) and not self.ended & {0, stream} and time.monotonic() < end:
            room = min(self.window, self.windows[stream], 16384, len(payload) - at)
            if room <= 0:
                self.take(0.1)
                continue
            whole = last and at + room == len(payload)
            self.socket.settimeout(max(end - time.monotonic(), 0.01))
            self.socket.sendall(self.frame(DATA, END_STREAM if whole else 0, stream, payload[at:at + room]))
            self.window -= room
            self.windows[stream] -= room
            at += room
        return at

    def read_until(self, stream, seconds):
        """Whether the stream, or the connection, ends within the time."""
        end = time.monotonic() + seconds
        while time.monotonic() < end and not self.ended & {0, stream}:
            self.take(min(0.2, end - time.monotonic()))
        return bool(self.ended & {0, stream})

    def close(self):
        self.socket.close()


class Memory:
    """What a process has, and the most that it had since this was made."""

    def __init__(self, pid):
        self.pid = pid
        Path(f"/proc/{pid}/clear_refs").write_text("5")  # the peak begins anew
        self.before = self.read("VmRSS")

    def read(self, which):
        for line in Path(f"/proc/{self.pid}/status").read_text().splitlines():
            if line.startswith(which + ":"):
                return int(line.split()[1]) * 1024
        raise KeyError(which)

    @property
    def growth(self):
        return max(self.read("VmHWM"), self.read("VmRSS")) - self.before


def call_quietly(over, result, port, key, body, deadline, path, pause, source):
    """In a process of its own, so that no attack holds up its clock."""
    times, refused, hits = [], [], 0
    connection = None
    while not over.is_set():
        begin = time.monotonic()
        status = None
        try:
            if connection is None:
                connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30, source_address=(source, 0))
            connection.request("POST", path, body, {"Authorization": f"Bearer {key}"})
            reply = connection.getresponse()
            reply.read()
            status = reply.status
        except (OSError, http.client.HTTPException):
            connection = None
        took = time.monotonic() - begin
        times.append(took)
        if status == 200 and took <= deadline:
            hits += 1
        else:
            refused.append((status, round(took, 3)))
        over.wait(pause)
    result.put((times, refused, hits))


class Quiet:
    """A tenant that calls now and then, and counts by its own clock."""

    def __init__(self, port, key, body, deadline, path, pause=0.02, source="127.0.0.1"):
        context = multiprocessing.get_context("fork")
        self.over, self.result = context.Event(), context.Queue()
        self.process = context.Process(target=call_quietly, daemon=True, args=(
            self.over, self.result, port, key, body, deadline, path, pause, source))
        self.process.start()

    def end(self):
        self.over.set()
        self.times, self.refused, self.hits = self.result.get(timeout=60)
        self.process.join(60)

    @property
    def share(self):
        return self.hits / max(len(self.times), 1)


def limit_memory(megabytes):
    """For a process that is about to begin: no more address space than this."""
    import resource
    return lambda: resource.setrlimit(resource.RLIMIT_AS, (megabytes << 20, megabytes << 20))

