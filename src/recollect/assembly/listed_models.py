"""Reads a server's list of models: which of them can chat. Never: asks a model."""

from collections.abc import Iterator, Mapping
from http import HTTPStatus
from typing import Any

import httpx

_SECONDS = 5.0
_MOST_BYTES = 4 * 1024 * 1024
_LONGEST_NAME = 200
_OTHER_WORK = ("embed", "rerank")
"""Parts of the names of models that don't chat, for servers that list nothing but names, as Ollama."""

_CHATTING = frozenset({"chat", "llm", "vlm", "language", "text", "model"})
"""The types of models that chat, by servers that list types at all."""


async def chat_models(client: httpx.AsyncClient, base_url: str, key: str | None) -> list[str]:
    """Return the names of a server's models that can chat, as far as its list tells; none without a list.

    Args:
        client: The client.
        base_url: The server's base URL.
        key: The operator's key, if there is one.
    """
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    try:
        answer = await client.get(f"{base_url.rstrip('/')}/models", headers=headers, timeout=_SECONDS)
        if answer.status_code != HTTPStatus.OK or len(answer.content) > _MOST_BYTES:
            return []
        listed = answer.json()
    except (httpx.HTTPError, httpx.InvalidURL, ValueError, RecursionError):
        return []
    return list(dict.fromkeys(_names(listed)))


def _names(listed: object) -> Iterator[str]:
    entries = listed.get("data") if isinstance(listed, Mapping) else None
    for entry in entries if isinstance(entries, list) else ():
        name = entry.get("id") if isinstance(entry, Mapping) else None
        if (
            isinstance(name, str)
            and 0 < len(name) <= _LONGEST_NAME
            and name.isprintable()
            and _can_chat(name, entry)
        ):
            yield name


def _can_chat(name: str, entry: Mapping[str, Any]) -> bool:
    """Return whether a model can chat: unless its server, or failing that its name, says otherwise."""
    kind, can = entry.get("type"), entry.get("capabilities")
    if isinstance(can, Mapping) and can.get("completion_chat") is False:  # Mistral
        return False
    made = entry.get("architecture")
    writes = made.get("output_modalities") if isinstance(made, Mapping) else None  # OpenRouter
    if isinstance(writes, list) and "text" not in writes:
        return False
    if isinstance(kind, str):  # LM Studio, Together
        return kind.lower() in _CHATTING
    return not any(part in name.lower() for part in _OTHER_WORK)
