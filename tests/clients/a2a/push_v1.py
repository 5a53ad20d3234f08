"""Push notifications with a2a-sdk 1.3.0, over JSON-RPC and HTTP+JSON: BASE_URL PORT.

The server has `WEBHOOK_ALLOW=127.0.0.1:PORT` and is a sandbox.
"""

import asyncio
import sys

import httpx
from a2a.client import A2ACardResolver, ClientConfig, ClientFactory
from a2a.types import (
    AuthenticationInfo,
    DeleteTaskPushNotificationConfigRequest,
    GetTaskPushNotificationConfigRequest,
    ListTaskPushNotificationConfigsRequest,
    SendMessageRequest,
    StreamResponse,
    TaskPushNotificationConfig,
    TaskState,
)
from google.protobuf.json_format import ParseDict
from python_v1 import data, message, pays, told
from receiver import Receiver


async def main(base, port):
    receiver = Receiver(int(port))
    async with httpx.AsyncClient(timeout=120) as http:
        card = await A2ACardResolver(http, base).get_agent_card()
        assert card.capabilities.push_notifications
        for binding in ("JSONRPC", "HTTP+JSON"):
            # The client sends this configuration with each message.
            config = TaskPushNotificationConfig(
                id="first",
                url=f"{receiver.base}/first",
                token="a token",
                authentication=AuthenticationInfo(scheme="Bearer", credentials="some-credentials"),
            )
            config = ClientConfig(
                httpx_client=http,
                streaming=False,
                supported_protocol_bindings=[binding],
                push_notification_config=config,
            )
            client = ClientFactory(config).create(card)

            async def send(asked):
                return [event.task async for event in client.send_message(SendMessageRequest(message=asked))][-1]

            async def notified(*states):
                """The states of the next notifications, which may come in another order than the changes."""
                seen = set()
                for _ in states:
                    path, headers, body = await asyncio.to_thread(receiver.next)
                    note = ParseDict(body, StreamResponse())
                    assert note.WhichOneof("payload") == "task" and note.task.id == asked.id, note
                    assert headers["content-type"] == "application/a2a+json", headers
                    if path == "/first":
                        assert headers["X-A2A-Notification-Token"] == "a token", headers
                        assert headers["Authorization"] == "Bearer some-credentials", headers
                    seen.add((path, note.task.status.state))
                assert seen == set(states), (seen, states)

            asked = await send(message(data(skill="scan", domain="example.com", keyword="crm software")))
            await notified(("/first", TaskState.TASK_STATE_INPUT_REQUIRED))
            made = await client.create_task_push_notification_config(
                TaskPushNotificationConfig(task_id=asked.id, id="second", url=f"{receiver.base}/second")
            )
            assert (made.task_id, made.id, made.url) == (asked.id, "second", f"{receiver.base}/second"), made
            listed = await client.list_task_push_notification_configs(
                ListTaskPushNotificationConfigsRequest(task_id=asked.id)
            )
            assert sorted(config.id for config in listed.configs) == ["first", "second"], listed
            second = GetTaskPushNotificationConfigRequest(task_id=asked.id, id="second")
            assert (await client.get_task_push_notification_config(second)).url == made.url
            done = await send(pays(asked, told(asked)["x402.payment.required"]))
            assert done.status.state == TaskState.TASK_STATE_COMPLETED, done
            states = (TaskState.TASK_STATE_WORKING, TaskState.TASK_STATE_COMPLETED)
            await notified(*((path, state) for path in ("/first", "/second") for state in states))
            for _ in range(2):
                await client.delete_task_push_notification_config(
                    DeleteTaskPushNotificationConfigRequest(task_id=asked.id, id="second")
                )
            try:
                await client.get_task_push_notification_config(second)
            except Exception as error:  # noqa: BLE001, an error of the protocol
                print("refused as expected:", type(error).__name__, error)
            else:
                raise AssertionError("a deleted configuration was shown")
            print(binding, "push notifications ok")


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
