"""Buys one scan as an agent: A2A over JSON-RPC, paid in the metadata of a message (a2a-x402 v0.1).

    python agent.py [base URL] [domain] [keyword]

Works with a2a-sdk 0.2.16 and 0.3.26. PRIVATE_KEY names the paying wallet. Without it, a published test wallet
pays, which only a server in sandbox mode accepts.
"""

import asyncio
import json
import os
import secrets
import sys
import time
import uuid

import httpx
from a2a.client import A2ACardResolver, A2AClient
from a2a.types import (
    DataPart,
    GetTaskRequest,
    Message,
    MessageSendParams,
    Part,
    Role,
    SendMessageRequest,
    SendStreamingMessageRequest,
    TaskQueryParams,
    TextPart,
)
from eth_account import Account

TEST_KEY = "0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d"
CHAINS = {"base-sepolia": 84532, "base": 8453}


def sign(account, offer):
    """A payment of version 1 for an entry of `accepts`: a signed transfer authorization (EIP-3009)."""
    now, nonce = int(time.time()), secrets.token_bytes(32)
    transfer = {
        "from": account.address,
        "to": offer["payTo"],
        "value": int(offer["maxAmountRequired"]),
        "validAfter": now - 60,
        "validBefore": now + offer["maxTimeoutSeconds"],
        "nonce": nonce,
    }
    names = ["address from", "address to", "uint256 value", "uint256 validAfter", "uint256 validBefore", "bytes32 nonce"]
    types = [dict(zip(("type", "name"), name.split())) for name in names]
    domain = {
        "name": offer["extra"]["name"],
        "version": offer["extra"]["version"],
        "chainId": CHAINS[offer["network"]],
        "verifyingContract": offer["asset"],
    }
    signed = account.sign_typed_data(domain, {"TransferWithAuthorization": types}, transfer)
    authorization = {name: value if isinstance(value, str) else str(value) for name, value in transfer.items()}
    authorization["nonce"] = "0x" + nonce.hex()
    return {
        "x402Version": 1,
        "scheme": offer["scheme"],
        "network": offer["network"],
        "payload": {"signature": "0x" + signed.signature.hex().removeprefix("0x"), "authorization": authorization},
    }


def message(part, **more):
    return Message(role=Role.user, messageId=uuid.uuid4().hex, parts=[Part(root=part)], **more)


def pays(task, account):
    """The message that pays what a task asks for."""
    offer = task.status.message.metadata["x402.payment.required"]["accepts"][0]
    metadata = {"x402.payment.status": "payment-submitted", "x402.payment.payload": sign(account, offer)}
    return message(TextPart(text="payment"), taskId=task.id, contextId=task.context_id, metadata=metadata)


async def main(base="http://127.0.0.1:8080", domain="example.com", keyword="crm software"):
    account = Account.from_key(os.environ.get("PRIVATE_KEY", TEST_KEY))
    async with httpx.AsyncClient(timeout=600) as http:
        card = await A2ACardResolver(http, base).get_agent_card()
        # Behind a proxy or a port of its own, the card may name another address than the one that was asked.
        client = A2AClient(http, url=f"{base}/api/a2a/jsonrpc")
        print("agent", card.name, "skills", [skill.id for skill in card.skills])

        async def send(asked):
            call = SendMessageRequest(id=uuid.uuid4().hex, params=MessageSendParams(message=asked))
            answer = (await client.send_message(call)).root
            if hasattr(answer, "error"):
                raise SystemExit(f"refused: {answer.error}")
            print(answer.result.status.state.value, (answer.result.status.message.metadata or {}).get("x402.payment.status"))
            return answer.result

        hello = await send(message(TextPart(text="What can you do?")))
        assert hello.status.state.value == "input-required"
        asked = await send(message(DataPart(data={"skill": "scan", "domain": domain, "keyword": keyword})))
        done = await send(pays(asked, account))
        print("receipt", done.status.message.metadata["x402.payment.receipts"])
        document, summary = (part.root for part in done.artifacts[0].parts)
        print(summary.text)

        # The same over a stream: a proof of the wallet lists its purchases, and is never charged.
        asked = await send(message(DataPart(data={"skill": "my-receipts", "limit": 1})))
        call = SendStreamingMessageRequest(id="stream", params=MessageSendParams(message=pays(asked, account)))
        async for event in client.send_message_streaming(call):
            print("event", event.root.result.kind)
        call = GetTaskRequest(id="get", params=TaskQueryParams(id=asked.id))
        kept = (await client.get_task(call)).root.result
        receipts = kept.artifacts[0].parts[0].root.data["receipts"]
        print(json.dumps(receipts, indent=2))
    assert receipts[0]["scanId"] == document.data["scanId"], "the latest purchase is the one just made"
    return 0 if done.status.state.value == "completed" else 1


if __name__ == "__main__":
    sys.exit(asyncio.run(main(*sys.argv[1:])))
