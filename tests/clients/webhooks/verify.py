"""Makes a webhook, takes its messages on loopback and verifies them with the packages standardwebhooks: ADDRESS PORT.

The server has `WEBHOOK_ALLOW=127.0.0.1:PORT` and the bearer key `sandbox`.
"""

import json
import os
import queue
import subprocess
import sys
import urllib.request
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread

from standardwebhooks import Webhook, WebhookVerificationError

address, port = sys.argv[1], int(sys.argv[2])
messages: queue.Queue = queue.Queue()


class Receiver(BaseHTTPRequestHandler):
    statuses = [500]

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["content-length"])).decode()
        messages.put((dict(self.headers), body))
        self.send_response(self.statuses.pop() if self.statuses else 204)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        pass


def call(path: str, body: object = None) -> dict:
    request = urllib.request.Request(
        address + path,
        data=json.dumps(body or {}).encode(),
        headers={"Authorization": "Bearer sandbox", "Content-Type": "application/json"},
    )
    with urllib.request.urlopen(request) as answer:
        return json.load(answer)


def verify(secret: str, message: tuple) -> None:
    headers, body = message
    assert Webhook(secret).verify(body, headers)["type"] == "webhook.test"
    try:
        Webhook(secret).verify(body + " ", headers)
        sys.exit("a changed message was taken")
    except WebhookVerificationError:
        pass
    said = subprocess.run(
        ["node", "verify.mjs"],
        env={"SECRET": secret, **os.environ},
        input=json.dumps({"headers": headers, "body": body}),
        text=True,
        check=True,
        capture_output=True,
    )
    assert said.stdout.strip() == "webhook.test", said


Thread(target=HTTPServer(("127.0.0.1", port), Receiver).serve_forever, daemon=True).start()
made = call("/api/v2/webhooks", {"url": f"http://127.0.0.1:{port}/hook"})
path = f"/api/v2/webhooks/{made['webhookId']}"
call(f"{path}/test")
first = messages.get(timeout=30)
verify(made["secret"], first)
# The first answer was 500, so the message comes again after about five seconds.
again = messages.get(timeout=30)
verify(made["secret"], again)
assert (first[0]["webhook-id"], first[1]) == (again[0]["webhook-id"], again[1])
rotated = call(f"{path}/rotate")
call(f"{path}/test")
message = messages.get(timeout=30)
verify(made["secret"], message)
verify(rotated["secret"], message)
print("webhooks: signatures verified in Python and JavaScript, retried under one id, both secrets valid")
