"""A receiver of push notifications on loopback."""

import json
import queue
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread


class Receiver:
    def __init__(self, port):
        self.notes = notes = queue.Queue()

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["content-length"]))
                notes.put((self.path, self.headers, json.loads(body)))
                self.send_response(204)
                self.end_headers()

            def log_message(self, *_):
                pass

        self.server = HTTPServer(("127.0.0.1", port), Handler)
        self.base = f"http://127.0.0.1:{port}"
        Thread(target=self.server.serve_forever, daemon=True).start()

    def next(self):
        return self.notes.get(timeout=30)
