"""Push notifications with a2a-sdk 0.3.26 over JSON-RPC: BASE_URL PORT.

The server has `WEBHOOK_ALLOW=127.0.0.1:PORT` and is a sandbox.
"""

import asyncio
import sys
import uuid
from pathlib import Path

import httpx
from a2a.client import A2ACardResolver, A2AClient
from a2a.types import (
    DataPart,
    GetTaskPushNotificationConfigParams,
    GetTaskPushNotificationConfigRequest,
    MessageSendConfiguration,
    MessageSendParams,
    PushNotificationAuthenticationInfo,
    PushNotificationConfig,
    SendMessageRequest,
    SetTaskPushNotificationConfigRequest,
    Task,
    TaskPushNotificationConfig,
)
from eth_account import Account
from receiver import Receiver

sys.path.append(str(Path(__file__).parents[3] / "docs/examples/python"))
from agent import TEST_KEY, message, pays  # noqa: E402


async def main(base, port):
    receiver = Receiver(int(port))
    async with httpx.AsyncClient(timeout=120) as http:
        assert (await A2ACardResolver(http, base).get_agent_card()).capabilities.push_notifications
        client = A2AClient(http, url=f"{base}/api/a2a/jsonrpc")

        async def send(asked, config=None):
            params = MessageSendParams(message=asked, configuration=config)
            answer = await client.send_message(SendMessageRequest(id=uuid.uuid4().hex, params=params))
            return answer.root.result

        async def notified(*states):
            """The states of the next notifications, which may come in another order than the changes."""
            seen = set()
            for _ in states:
                path, headers, body = await asyncio.to_thread(receiver.next)
                task = Task.model_validate(body)
                assert task.id == asked.id and headers["content-type"] == "application/json", (task, headers)
                assert headers["X-A2A-Notification-Token"] == "a token", headers
                assert headers["Authorization"] == "Bearer some-credentials", headers
                seen.add((path, task.status.state.value))
            assert seen == set(states), (seen, states)

        def config(path):
            authentication = PushNotificationAuthenticationInfo(schemes=["Bearer"], credentials="some-credentials")
            return PushNotificationConfig(
                id=path, url=f"{receiver.base}/{path}", token="a token", authentication=authentication
            )

        order = {"skill": "scan", "domain": "example.com", "keyword": "crm software"}
        configuration = MessageSendConfiguration(push_notification_config=config("first"))
        asked = await send(message(DataPart(data=order)), configuration)
        await notified(("/first", "input-required"))
        params = TaskPushNotificationConfig(task_id=asked.id, push_notification_config=config("second"))
        made = await client.set_task_callback(SetTaskPushNotificationConfigRequest(id="set", params=params))
        assert made.root.result.push_notification_config.url == f"{receiver.base}/second", made
        params = GetTaskPushNotificationConfigParams(id=asked.id, push_notification_config_id="second")
        found = await client.get_task_callback(GetTaskPushNotificationConfigRequest(id="get", params=params))
        assert found.root.result == made.root.result, found
        done = await send(pays(asked, Account.from_key(TEST_KEY)))
        assert done.status.state.value == "completed", done
        await notified(*((path, state) for path in ("/first", "/second") for state in ("working", "completed")))
        print("JSON-RPC 0.3 push notifications ok")


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
