"""A real S3 server on loopback, behind a proxy that fails, stalls or cuts bodies off."""

from __future__ import annotations

import http.client
import socket
import threading
import time
from collections import Counter
from contextlib import nullcontext
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import fsspec
import pytest

from whybox.data import remote as remote_module


class Proxy(ThreadingHTTPServer):
    """A server in front of another that spoils some requests for objects, or answers to them."""

    daemon_threads = True

    def __init__(self, target: int) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.target = target
        self.fault: str | None = None
        self.left = self.after = 0  # still to be spoilt, after so many that are not
        self.method, self.part = "GET", ""
        self.seen: Counter[str] = Counter()
        self.lock, self.writing = threading.Lock(), threading.Lock()

    def spoil(
        self, fault: str, times: int, method: str = "GET", part: str = "", after: int = 0
    ) -> None:
        """Spoil the next requests of a method for objects with this in their names, but the first."""
        self.fault, self.left, self.method, self.part = fault, times, method, part
        self.after = after
        self.seen.clear()

    def take(self, method: str, path: str) -> str | None:
        """The fault of this request."""
        with self.lock:
            self.seen["requests"] += 1
            if self.left <= 0 or method != self.method or self.part not in path:
                return None
            if self.after > 0:
                self.after -= 1
                return None
            self.left -= 1
            self.seen["spoilt"] += 1
            return self.fault


class Handler(BaseHTTPRequestHandler):
    """Passes a request on, and perhaps spoils the answer."""

    protocol_version = "HTTP/1.1"
    server: Proxy

    def log_message(self, *_: object) -> None:
        """Say nothing."""

    def answer(self) -> None:
        """Answer as the server behind does, or worse."""
        length = int(self.headers.get("Content-Length") or 0)
        sent = self.rfile.read(length)
        is_object = self.command in ("PUT", "DELETE") or "Range" in self.headers
        fault = self.server.take(self.command, self.path) if is_object else None
        headers = dict(self.headers)
        if self.command == "DELETE" and fault in ("InternalError", "SlowDown"):
            self.fail(fault)
            return
        if self.command == "PUT":
            if fault == "NotImplemented" and not {"If-Match", "If-None-Match"} & set(headers):
                fault = None
            elif fault in ("InternalError", "SlowDown", "NotImplemented"):
                self.fail(fault)
                return
            elif fault == "short":  # the store gets less than was sent, and does not notice
                sent = sent[: length // 2]
                headers = {k: v for k, v in headers.items() if "checksum" not in k.lower()}
                headers["Content-Length"] = str(len(sent))
            elif (
                fault == "overlooked"
            ):  # a store that does not know conditions, and does not say so
                headers = {k: v for k, v in headers.items() if not k.startswith("If-")}
        # moto judges a condition and writes in two steps, of which a real store makes one
        with self.server.writing if self.command == "PUT" else nullcontext():
            behind = http.client.HTTPConnection("127.0.0.1", self.server.target)
            behind.request(self.command, self.path, sent, headers)
            response = behind.getresponse()
            body = response.read()
            behind.close()
        if fault in ("InternalError", "SlowDown"):
            self.fail(fault)
        elif fault == "cut" and self.command == "PUT":  # done, but the answer is lost
            self.close_connection = True
        elif fault == "cut":  # fewer bytes than announced
            self.reply(response.status, dict(response.headers), body[: len(body) // 2], len(body))
            self.close_connection = True
            self.connection.shutdown(socket.SHUT_RDWR)
        elif fault == "short" and self.command == "GET":  # fewer bytes, and announced so
            self.reply(response.status, dict(response.headers), body[: len(body) // 2])
        elif fault == "stall":
            time.sleep(3)
            self.close_connection = True
        else:
            self.reply(response.status, dict(response.headers), body)

    do_GET = do_PUT = do_POST = do_DELETE = answer

    def do_HEAD(self) -> None:
        """Pass a question about an object on: its length is that of the object."""
        behind = http.client.HTTPConnection("127.0.0.1", self.server.target)
        behind.request("HEAD", self.path, headers=dict(self.headers))
        response = behind.getresponse()
        response.read()
        behind.close()
        self.send_response(response.status)
        for name, value in response.headers.items():
            self.send_header(name, value)
        self.end_headers()

    def fail(self, code: str) -> None:
        """Answer with an error."""
        status = {"InternalError": 500, "NotImplemented": 501, "SlowDown": 503}[code]
        body = f"<Error><Code>{code}</Code><Message>later</Message></Error>".encode()
        self.reply(status, {"Content-Type": "application/xml"}, body)

    def reply(
        self, status: int, headers: dict[str, str], body: bytes, length: int | None = None
    ) -> None:
        """Send an answer."""
        self.send_response(status)
        for name, value in headers.items():
            if name.lower() not in ("content-length", "transfer-encoding", "connection"):
                self.send_header(name, value)
        self.send_header("Content-Length", str(len(body) if length is None else length))
        self.end_headers()
        self.wfile.write(body)
        self.wfile.flush()


@pytest.fixture(scope="session")
def proxy():
    """A moto server on loopback, behind a proxy."""
    server = pytest.importorskip("moto.server").ThreadedMotoServer(port=0, verbose=False)
    server.start()
    port = server.get_host_and_port()[1]
    front = Proxy(port)
    thread = threading.Thread(target=front.serve_forever, daemon=True)
    thread.start()
    yield front
    front.shutdown()
    front.server_close()
    server.stop()


@pytest.fixture
def store(proxy, monkeypatch):
    """An empty bucket, found and opened by what the environment says."""
    monkeypatch.setenv("AWS_ENDPOINT_URL", f"http://127.0.0.1:{proxy.server_port}")
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "testing")
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
    monkeypatch.setattr(remote_module, "PAUSE", 0.01)
    proxy.spoil("none", 0)
    fs = fsspec.filesystem("s3", use_listings_cache=False, skip_instance_cache=True)
    if not fs.exists("posts"):
        fs.mkdir("posts")
    for path in fs.find("posts"):
        fs.rm_file(path)
    fsspec.get_filesystem_class("s3").clear_instance_cache()
    return fs
