"""Recollect in LlamaIndex: a block for its ``Memory``, with the memories that serve the last message. Copy this file.

It reads the memory API. Send the chat itself through the proxy (``OpenAILike(api_base=".../v1")``) with recall off,
as the block brings the memories: what is said is logged there, and formed.
"""

from typing import Any
from urllib.parse import quote

from llama_index.core.llms import ChatMessage  # type: ignore[import-not-found]
from llama_index.core.memory import BaseMemoryBlock  # type: ignore[import-not-found]


class RecollectMemoryBlock(BaseMemoryBlock[str]):  # type: ignore[misc]
    """A user's memories for the last thing they said, a line each.

    Attributes:
        client: An asynchronous HTTP client with the server's address and the token.
        user_id: The user.
        most: How many memories at most.
    """

    name: str = "memories"
    client: Any
    user_id: str
    most: int = 8

    async def _aget(self, messages: list[ChatMessage] | None = None, **_: Any) -> str:
        said = next((each.content or "" for each in reversed(messages or []) if each.role == "user"), "")
        if not said.strip():
            return ""
        answer = await self.client.get(
            f"/memory/users/{quote(self.user_id, safe='')}/memories/search",
            params={"q": said[:2000], "limit": self.most},
        )
        found = answer.raise_for_status().json()["found"]
        return "\n".join(f"- {each['memory']['content']}" for each in found)

    async def _aput(self, messages: list[ChatMessage]) -> None:
        """Keep nothing: the proxy has logged them."""
