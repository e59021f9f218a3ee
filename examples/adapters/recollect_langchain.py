"""Recollect in LangChain: a retriever of memories, and the messages of a chat. Copy this file.

Both read the memory API. Send the chat itself through the proxy (``ChatOpenAI(base_url=".../v1")``), which logs what is said and
forms memories of it.
"""

from collections.abc import Sequence
from typing import Any
from urllib.parse import quote

import httpx
from langchain_core.chat_history import BaseChatMessageHistory  # type: ignore[import-not-found]
from langchain_core.documents import Document  # type: ignore[import-not-found]
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage  # type: ignore[import-not-found]
from langchain_core.retrievers import BaseRetriever  # type: ignore[import-not-found]

_MESSAGES = {"user": HumanMessage, "assistant": AIMessage}


def _of_user(user_id: str) -> str:
    return f"/memory/users/{quote(user_id, safe='')}"


class RecollectRetriever(BaseRetriever):  # type: ignore[misc]
    """Finds a user's memories that serve a question, best first.

    Attributes:
        client: An HTTP client with the server's address and the token.
        user_id: The user.
        k: How many memories at most.
    """

    client: Any
    user_id: str
    k: int = 8

    def _get_relevant_documents(self, query: str, **_: Any) -> list[Document]:
        answer = self.client.get(
            f"{_of_user(self.user_id)}/memories/search", params={"q": query, "limit": self.k}
        )
        answer.raise_for_status()
        return [
            Document(
                id=each["memory"]["id"],
                page_content=each["memory"]["content"],
                metadata={"kind": each["memory"]["kind"], "score": each["score"]},
            )
            for each in answer.json()["found"]
        ]


class RecollectChatHistory(BaseChatMessageHistory):  # type: ignore[misc]
    """A chat's messages, as the proxy logged them. To clear it erases the chat, with the memories that it alone taught."""

    def __init__(self, client: httpx.Client, user_id: str, chat: str) -> None:
        self._client, self._chat = client, f"{_of_user(user_id)}/sessions/{quote(chat, safe='')}"

    @property
    def messages(self) -> list[BaseMessage]:
        """All messages, in order."""
        found: list[BaseMessage] = []
        after: dict[str, str] = {}
        while True:
            answer = self._client.get(f"{self._chat}/messages", params={"limit": 200, **after})
            if answer.status_code == httpx.codes.NOT_FOUND:  # nothing was said yet
                return found
            page = answer.raise_for_status().json()
            found += [_MESSAGES[each["role"]](each["text"], id=each["id"]) for each in page["messages"]]
            if page["next"] is None:
                return found
            after = {"after": page["next"]}

    def add_messages(self, messages: Sequence[BaseMessage]) -> None:
        """Add nothing: the proxy has logged them."""

    def clear(self) -> None:
        """Erase the chat."""
        self._client.delete(self._chat).raise_for_status()
