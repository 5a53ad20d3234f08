"""Buys one scan with the current client (protocol version 2).

    python pay.py [base URL] [domain] [keyword]

PRIVATE_KEY names the paying wallet. Without it, a published test wallet pays, which only a server in
sandbox mode accepts.
"""

import asyncio
import base64
import json
import os
import sys

from eth_account import Account
from x402 import x402Client
from x402.http.clients.httpx import wrapHttpxWithPayment
from x402.mechanisms.evm.exact.register import register_exact_evm_client

TEST_KEY = "0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d"


async def main(base="http://127.0.0.1:8080", domain="example.com", keyword="crm software"):
    client = x402Client()
    account = Account.from_key(os.environ.get("PRIVATE_KEY", TEST_KEY))
    register_exact_evm_client(client, account, networks="eip155:84532")
    async with wrapHttpxWithPayment(client, timeout=600) as http:
        answer = await http.post(f"{base}/api/a2a/scan", json={"domain": domain, "keyword": keyword})
    receipt = answer.headers.get("PAYMENT-RESPONSE")
    print("status", answer.status_code)
    print("receipt", json.loads(base64.b64decode(receipt)) if receipt else "none")
    print(json.dumps(answer.json(), indent=2))
    return 0 if answer.is_success else 1


if __name__ == "__main__":
    sys.exit(asyncio.run(main(*sys.argv[1:])))
