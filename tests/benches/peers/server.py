"""An agent on the Python SDK's own server that asks for payment, as ibid does: the least that a peer has to do.

    pip install 'a2a-sdk[http-server]==0.3.26' uvicorn && python server.py PORT
"""

import json
import sys
import uuid
from pathlib import Path

import uvicorn
from a2a.server.agent_execution import AgentExecutor
from a2a.server.apps import A2AStarletteApplication
from a2a.server.request_handlers import DefaultRequestHandler
from a2a.server.tasks import InMemoryTaskStore
from a2a.types import AgentCapabilities, AgentCard, AgentSkill, Message, Part, Role, Task, TaskState, TaskStatus, TextPart

OFFER = json.loads((Path(__file__).parent / "offer.json").read_text())


class Asks(AgentExecutor):
    async def execute(self, context, queue):
        said = Message(
            role=Role.agent,
            message_id=uuid.uuid4().hex,
            task_id=context.task_id,
            context_id=context.context_id,
            parts=[Part(root=TextPart(text="scan costs 0.15 USDC."))],
            metadata=OFFER,
        )
        status = TaskStatus(state=TaskState.input_required, message=said)
        await queue.enqueue_event(
            Task(id=context.task_id, context_id=context.context_id, status=status, history=[context.message])
        )

    async def cancel(self, context, queue):
        raise NotImplementedError


port = int(sys.argv[1])
skill = AgentSkill(id="scan", name="scan", description="scan", tags=["scan"])
card = AgentCard(
    name="peer",
    description="peer",
    url=f"http://127.0.0.1:{port}/",
    version="1",
    capabilities=AgentCapabilities(streaming=True),
    default_input_modes=["application/json"],
    default_output_modes=["application/json"],
    skills=[skill],
)
handler = DefaultRequestHandler(agent_executor=Asks(), task_store=InMemoryTaskStore())
app = A2AStarletteApplication(agent_card=card, http_handler=handler).build()
uvicorn.run(app, host="127.0.0.1", port=port, log_level="warning", access_log=False)
