"""Buys from a server with a2a-sdk 1.3.0 and its defaults: the client chooses the interface by the card.

    python python_v1.py BASE_URL [JSONRPC or HTTP+JSON]

The wallet is the published test wallet, so the server has to be a sandbox.
"""

import asyncio
import json
import secrets
import sys
import time
import uuid
from base64 import urlsafe_b64encode

import httpx
from a2a.client import ClientConfig, ClientFactory, A2ACardResolver
from a2a.client.errors import A2AClientError
from a2a.types import (
    CancelTaskRequest,
    GetTaskRequest,
    ListTasksRequest,
    Message,
    Part,
    Role,
    SendMessageRequest,
    SubscribeToTaskRequest,
    TaskState,
)
from eth_account import Account
from a2a.utils.signing import InvalidSignaturesError, create_signature_verifier
from google.protobuf.json_format import MessageToDict, ParseDict
from google.protobuf.struct_pb2 import Struct, Value
from jwt import PyJWK
from jwt.api_jws import decode

WALLET = Account.from_key("0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d")
CHAINS = {"base-sepolia": 84532, "eip155:84532": 84532}


def sign(required):
    """A payment for the first entry of `accepts`, in the version of the demand."""
    offer = required["accepts"][0]
    version = int(required["x402Version"])
    now, nonce = int(time.time()), secrets.token_bytes(32)
    transfer = {
        "from": WALLET.address,
        "to": offer["payTo"],
        "value": int(offer["maxAmountRequired" if version == 1 else "amount"]),
        "validAfter": now - 60,
        "validBefore": now + int(offer["maxTimeoutSeconds"]),
        "nonce": nonce,
    }
    fields = [("from", "address"), ("to", "address"), ("value", "uint256"), ("validAfter", "uint256")]
    fields += [("validBefore", "uint256"), ("nonce", "bytes32")]
    domain = {
        "name": offer["extra"]["name"],
        "version": offer["extra"]["version"],
        "chainId": CHAINS[offer["network"]],
        "verifyingContract": offer["asset"],
    }
    types = {"TransferWithAuthorization": [{"name": name, "type": kind} for name, kind in fields]}
    signed = WALLET.sign_typed_data(domain, types, transfer)
    authorization = {name: value if isinstance(value, str) else str(value) for name, value in transfer.items()}
    authorization["nonce"] = "0x" + nonce.hex()
    payload = {"signature": "0x" + signed.signature.hex().removeprefix("0x"), "authorization": authorization}
    if version == 1:
        return {"x402Version": 1, "scheme": "exact", "network": offer["network"], "payload": payload}
    return {"x402Version": 2, "resource": required["resource"], "accepted": offer, "payload": payload}


def message(part, **more):
    return Message(message_id=uuid.uuid4().hex, role=Role.ROLE_USER, parts=[part], **more)


def data(**fields):
    return Part(data=ParseDict(fields, Value()))


def pays(task, required):
    metadata = ParseDict({"x402.payment.status": "payment-submitted", "x402.payment.payload": sign(required)}, Struct())
    return message(Part(text="payment"), task_id=task.id, context_id=task.context_id, metadata=metadata)


def told(task):
    return MessageToDict(task.status.message.metadata)


async def verify(http, base, card):
    """Checks the signature of the card by the client's own verifier, and the one of the whole document without it."""
    keys = {key["kid"]: key for key in (await http.get(f"{base}/.well-known/jwks.json")).json()["keys"]}
    verifier = create_signature_verifier(lambda kid, jku: PyJWK(keys[kid]), ["EdDSA"])
    verifier(card)
    card.version += "-changed"
    try:
        verifier(card)
    except InvalidSignaturesError:
        card.version = card.version.removesuffix("-changed")
    else:
        raise AssertionError("a changed card was taken")
    document = (await http.get(f"{base}/.well-known/agent-card.json")).json()
    signature = document.pop("signatures")[1]
    # All members are ASCII and all numbers small integers, so sorted members without spaces are the canonical form.
    payload = json.dumps(document, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()
    encoded = urlsafe_b64encode(payload).rstrip(b"=").decode()
    decode(f"{signature['protected']}.{encoded}.{signature['signature']}", PyJWK(next(iter(keys.values()))), ["EdDSA"])
    print("both signatures of the card hold")


async def main(base, binding="JSONRPC"):
    async with httpx.AsyncClient(timeout=120) as http:
        card = await A2ACardResolver(http, base).get_agent_card()
        assert card.supported_interfaces[0].protocol_version == "1.0", card.supported_interfaces
        await verify(http, base, card)
        assert not any(extension.required for extension in card.capabilities.extensions)
        for streaming in (True, False):
            config = ClientConfig(httpx_client=http, streaming=streaming, supported_protocol_bindings=[binding])
            client = ClientFactory(config).create(card)

            async def send(asked):
                """The task after the last event."""
                task = None
                async for event in client.send_message(SendMessageRequest(message=asked)):
                    kind = event.WhichOneof("payload")
                    task = event.task if kind == "task" else await client.get_task(
                        GetTaskRequest(id=getattr(event, kind).task_id))
                return task

            hello = await send(message(Part(text="What can you do?")))
            assert hello.status.state == TaskState.TASK_STATE_INPUT_REQUIRED, hello
            words = await send(message(Part(text="check example.com for crm software")))
            assert told(words)["x402.payment.status"] == "payment-required", words
            asked = await send(message(data(skill="scan", domain="example.com", keyword="crm software")))
            required = told(asked)["x402.payment.required" if streaming else "x402.payment.required.v2"]
            done = await send(pays(asked, required))
            assert done.status.state == TaskState.TASK_STATE_COMPLETED, done
            assert told(done)["x402.payment.receipts"][-1]["success"] is True, done
            document = MessageToDict(done.artifacts[0].parts[0].data)
            assert document["result"]["overallScore"] is not None, document
            # A proof of the wallet lists its purchases, and is never charged.
            proof = await send(message(data(skill="my-receipts", limit=1)))
            listed = await send(pays(proof, told(proof)["x402.payment.required"]))
            receipts = MessageToDict(listed.artifacts[0].parts[0].data)["receipts"]
            assert receipts[0]["scanId"] == document["scanId"], receipts
            canceled = await client.cancel_task(CancelTaskRequest(id=hello.id))
            assert canceled.status.state == TaskState.TASK_STATE_CANCELED, canceled
            assert len((await client.list_tasks(ListTasksRequest(page_size=5))).tasks) == 0
            for call in (
                lambda: client.cancel_task(CancelTaskRequest(id=done.id)),
                lambda: client.get_task(GetTaskRequest(id=str(uuid.uuid4()))),
                lambda: anext(client.subscribe(SubscribeToTaskRequest(id=done.id))),
            ):
                try:
                    await call()
                except Exception as error:  # noqa: BLE001, each is an error of the protocol
                    print("refused as expected:", type(error).__name__, error)
                else:
                    raise AssertionError("the call should have been refused")
            print(binding, "streaming" if streaming else "blocking", "x402", required["x402Version"], "ok")


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
