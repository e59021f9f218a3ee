"""Uses the adapters of ``examples`` with the real frameworks."""

import asyncio
import sys
from pathlib import Path

import httpx
from task import TASK, tell  # type: ignore[import-not-found]  # beside this script

sys.path.insert(0, str(Path(__file__).parents[4] / "examples" / "adapters"))
USER = TASK.headers["X-OpenWebUI-User-Id"]
GIVEN = {"base_url": TASK.address, "headers": {"Authorization": f"Bearer {TASK.key}"}}


def of_langchain() -> object:
    """Ask the retriever, and read the history, clear it and read it once more."""
    from recollect_langchain import RecollectChatHistory, RecollectRetriever  # type: ignore[import-not-found]  # noqa: PLC0415

    with httpx.Client(**GIVEN) as client:
        found = RecollectRetriever(client=client, user_id=USER, k=3).invoke(TASK.question)
        history = RecollectChatHistory(client, USER, "chat-1")
        said = [(each.type, each.content) for each in history.messages]
        history.clear()
        return {"found": [each.page_content for each in found], "said": said, "cleared": history.messages}


async def of_llamaindex() -> object:
    """Let LlamaIndex's own memory put the block into a prompt."""
    from llama_index.core.llms import ChatMessage  # type: ignore[import-not-found]  # noqa: PLC0415
    from llama_index.core.memory import Memory  # type: ignore[import-not-found]  # noqa: PLC0415
    from recollect_llamaindex import RecollectMemoryBlock  # type: ignore[import-not-found]  # noqa: PLC0415

    async with httpx.AsyncClient(**GIVEN) as client:
        block = RecollectMemoryBlock(client=client, user_id=USER)
        memory = Memory.from_defaults(session_id="chat-9", memory_blocks=[block])
        question = ChatMessage(role="user", content=TASK.question)
        await memory.aput(question)
        return {"prompt": [str(each.content) for each in await memory.aget()], "empty": await block.aget([])}


tell(of_langchain() if TASK.way == "langchain" else asyncio.run(of_llamaindex()))
