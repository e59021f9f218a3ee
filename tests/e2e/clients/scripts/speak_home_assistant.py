"""The Ollama SDK asks a question as Home Assistant's integration does."""

import asyncio

from ollama import AsyncClient, Message  # type: ignore[import-not-found]  # of the clients' own environment
from task import TASK, tell  # type: ignore[import-not-found]  # beside this script

_LIGHT = {"name": "HassTurnOn", "parameters": {"type": "object", "properties": {"name": {"type": "string"}}}}


async def _pieces() -> list[str]:
    client = AsyncClient(host=TASK.address, headers={"Authorization": f"Bearer {TASK.key}"})
    answer = await client.chat(
        model="scripted",
        messages=[
            Message(role="system", content="You are a voice assistant for Home Assistant."),
            Message(role="user", content=TASK.question),
        ],
        tools=[{"type": "function", "function": _LIGHT}],
        stream=True,
        keep_alive=-1,
        options={"num_ctx": 8192},
        think=False,
        format=None,
    )
    return [part.message.content async for part in answer if part.message.content]


tell({"said": asyncio.run(_pieces())})
