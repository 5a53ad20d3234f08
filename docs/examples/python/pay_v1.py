"""Buys one scan with the older client (protocol version 1).

    python pay_v1.py [base URL] [domain] [keyword]

PRIVATE_KEY names the paying wallet. Without it, a published test wallet pays, which only a server in
sandbox mode accepts.

The ready-made httpx wrapper of this version sends the paid request with a timeout of five seconds, which is
too short for a scan. So this script takes the two steps itself.
"""

import base64
import json
import os
import sys

import httpx
from eth_account import Account
from x402.clients.base import x402Client
from x402.types import x402PaymentRequiredResponse

TEST_KEY = "0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d"


def main(base="http://127.0.0.1:8080", domain="example.com", keyword="crm software"):
    account = Account.from_key(os.environ.get("PRIVATE_KEY", TEST_KEY))
    client = x402Client(account, max_value=1_000_000)
    url, body = f"{base}/api/a2a/scan", {"domain": domain, "keyword": keyword}
    with httpx.Client(timeout=600) as http:
        answer = http.post(url, json=body)
        if answer.status_code == 402:
            offer = x402PaymentRequiredResponse(**answer.json())
            chosen = client.select_payment_requirements(offer.accepts)
            payment = client.create_payment_header(chosen, offer.x402_version)
            answer = http.post(url, json=body, headers={"X-Payment": payment})
    receipt = answer.headers.get("X-Payment-Response")
    print("status", answer.status_code)
    print("receipt", json.loads(base64.b64decode(receipt)) if receipt else "none")
    print(json.dumps(answer.json(), indent=2))
    return 0 if answer.is_success else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
