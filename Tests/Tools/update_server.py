"""A server of the update service with a state that tests write.

It serves two ports of loopback, so that a redirect can lead to another server, prints both numbers in a line, and ends
when its standard input does. `POST /control` merges a JSON object into the state, `GET /control` shows it, with all
requests so far; `--state FILE` merges one at the start. A scripted answer (see `answer`) is used up by the next request of its call; without one the call does
what a real server would.
"""

import hashlib
import json
import re
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

UNIFORM = {"error": "unauthorized", "message": "The credential was not accepted."}

CALLS = [
    ("POST", r"/sdk/v1/enroll", "enroll"),
    ("POST", r"/sdk/v1/token/refresh", "refresh"),
    ("GET", r"/sdk/v1/app", "app"),
    ("GET", r"/sdk/v1/updates", "updates"),
    ("GET", r"/sdk/v1/releases/([^/]+)/download", "download"),
    ("POST", r"/sdk/v1/installs", "installs"),
    ("GET", r"/files/(.+)", "file"),
]


class State:
    """What the server knows; every member can be set over /control."""

    def __init__(self):
        self.lock = threading.Lock()
        self.values = {
            "appKey": "app-key",
            "appSecret": "app-secret",
            "valid": [],
            "issued": 0,
            "scripts": {},
            "requests": [],
            "installs": [],
            "update": {"updateAvailable": False},
            "app": {"name": "Example", "latestVersionName": "2.0.0", "iconURL": "/files/icon"},
            "download": {},
            "files": {"icon": {"text": "icon bytes"}},
            "expiresAt": None,
            "pause": {},
        }

    def issue(self):
        with self.lock:
            self.values["issued"] += 1
            token = f"token-{self.values['issued']}"
            self.values["valid"].append(token)
        payload = {"token": token, "installID": "install-1"}
        if self.values["expiresAt"] is not None:
            payload["expiresAt"] = self.values["expiresAt"]
        return payload

    def script(self, call):
        with self.lock:
            answers = self.values["scripts"].get(call, [])
            if not answers:
                return None
            return answers[0] if answers[0].get("always") else answers.pop(0)


class Handler(BaseHTTPRequestHandler):
    """One connection."""

    protocol_version = "HTTP/1.1"
    state = None

    def log_message(self, *_):
        """Says nothing."""

    def do_GET(self):
        self.serve("GET")

    def do_POST(self):
        self.serve("POST")

    def serve(self, method):
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        path, _, query = self.path.partition("?")
        if path == "/control":
            return self.control(method, body)
        call, name = "unknown", ""
        for wanted, pattern, found in CALLS:
            match = re.fullmatch(pattern, path)
            if match and wanted == method:
                call, name = found, (match.groups() or ("",))[0]
        self.note(method, path, query, call, body)
        values = self.state.values
        if call in values["pause"]:
            time.sleep(values["pause"][call])
        scripted = self.state.script(call)
        if scripted is not None:
            return self.answer(scripted)
        if call == "enroll":
            sent = json.loads(body)
            fits = (sent.get("appKey"), sent.get("appSecret")) == (values["appKey"], values["appSecret"])
            return self.json(201, self.state.issue()) if fits else self.json(401, UNIFORM)
        if call == "file":
            return self.file(name)
        token = (self.headers.get("Authorization") or "").removeprefix("Bearer ")
        if token not in values["valid"] or self.headers.get("X-AppGantry-App-Key") != values["appKey"]:
            return self.json(401, UNIFORM)
        if call == "refresh":
            with self.state.lock:
                values["valid"].remove(token)
            return self.json(200, self.state.issue())
        if call == "installs":
            with self.state.lock:
                values["installs"].append(json.loads(body))
            return self.answer({"status": 204})
        known = {"app": values["app"], "updates": values["update"], "download": values["download"].get(name)}
        if known.get(call) is None:
            return self.json(404, {"error": "not_found", "message": "There is no such thing."})
        return self.json(200, known[call])

    def note(self, method, path, query, call, body):
        entry = {
            "method": method, "path": path, "query": query, "call": call, "port": self.server.server_port,
            "authorization": self.headers.get("Authorization"), "key": self.headers.get("X-AppGantry-App-Key"),
            "range": self.headers.get("Range"), "ifRange": self.headers.get("If-Range"),
            "body": body.decode("utf-8", "replace"), "cookie": self.headers.get("Cookie"),
        }
        with self.state.lock:
            self.state.values["requests"].append(entry)

    def control(self, method, body):
        with self.state.lock:
            if method == "POST":
                self.state.values.update(json.loads(body))
            text = json.dumps(self.state.values).encode()
        self.whole(200, text, {"Content-Type": "application/json"})

    def json(self, status, value):
        self.whole(status, json.dumps(value).encode(), {"Content-Type": "application/json"})

    def whole(self, status, body, headers):
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def answer(self, scripted):
        """status, headers, and json or text. `hang` waits before it, `stall` after it, `close` says nothing at all.

        A length among the headers is sent as it is, and the connection ends after the body.
        """
        if "hang" in scripted:
            time.sleep(scripted["hang"])
        if scripted.get("close"):
            self.close_connection = True
            return
        headers = dict(scripted.get("headers", {}))
        if "json" in scripted:
            body = json.dumps(scripted["json"]).encode()
        else:
            body = scripted.get("text", "").encode()
        self.send_response(scripted["status"])
        for name, value in headers.items():
            self.send_header(name, value)
        if "Content-Length" not in headers and scripted["status"] != 204:
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
        self.wfile.flush()
        time.sleep(scripted.get("stall", 0))
        if "Content-Length" in headers:
            self.close_connection = True

    def file(self, name):
        """A file by name: text, or `size` bytes; `cuts` closes the connection after so many bytes, once each."""
        known = self.state.values["files"].get(name)
        if known is None:
            return self.json(404, {"error": "not_found", "message": "There is no such file."})
        data = content(known)
        headers, status, start = {}, 200, 0
        if "etag" in known:
            headers["ETag"] = known["etag"]
        asked = re.fullmatch(r"bytes=(\d+)-", self.headers.get("Range") or "")
        fresh = self.headers.get("If-Range") in (None, known.get("etag"))
        if asked and fresh and not known.get("noRange"):
            status, start = 206, int(asked[1])
            headers["Content-Range"] = f"bytes {start}-{len(data) - 1}/{len(data)}"
        rest = data[start:]
        with self.state.lock:
            cut = known["cuts"].pop(0) if known.get("cuts") else None
        self.send_response(status)
        for header, value in headers.items():
            self.send_header(header, value)
        if known.get("noLength"):
            self.close_connection = True
        else:
            self.send_header("Content-Length", str(known.get("length", len(rest))))
        self.end_headers()
        try:
            for place in range(0, len(rest) if cut is None else cut, 1 << 16):
                self.wfile.write(rest[place : place + (1 << 16)][: None if cut is None else cut - place])
                self.wfile.flush()
                time.sleep(known.get("slow", 0))
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True
        if cut is not None or "length" in known:
            self.close_connection = True


def content(known):
    """The bytes of a file: a text, or a stream that can be made again from its size."""
    if "text" in known:
        return known["text"].encode()
    block = hashlib.sha256(known.get("seed", "").encode()).digest()
    return (block * (known["size"] // len(block) + 1))[: known["size"]]


def main():
    Handler.state = State()
    if sys.argv[1:2] == ["--state"]:
        with open(sys.argv[2], encoding="utf-8") as file:
            Handler.state.values.update(json.load(file))
    servers = [ThreadingHTTPServer(("127.0.0.1", 0), Handler) for _ in range(2)]
    for server in servers:
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, daemon=True).start()
    print(*(server.server_port for server in servers), flush=True)
    sys.stdin.read()


if __name__ == "__main__":
    main()
