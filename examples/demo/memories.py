"""The Memory API, as an administrator uses it."""

import asyncio
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

import httpx

_POLL_SECONDS = 0.1
_PAGE = 200
_VERBS = {"add": "remembered", "replace": "replaced", "retire": "forgotten"}


@dataclass(frozen=True, slots=True)
class Changed:
    """A change to a person's memories as the API shows it.

    Attributes:
        verb: The kind of change, as a past participle.
        before: The memory before; "" if there was none.
        after: The memory after; "" if there is none.
    """

    verb: str
    before: str
    after: str


class MemoryApi:
    """Reads the proxy's memories."""

    def __init__(self, client: httpx.AsyncClient, token: str) -> None:
        """Use the API.

        Args:
            client: Its base URL is the proxy's origin.
            token: The admin token.
        """
        self._client = client
        self._headers = {"Authorization": f"Bearer {token}"}

    async def changes(self, user_id: str) -> list[Changed]:
        """Return all changes to a user's memories, oldest first."""
        page = await self._get(f"/memory/users/{quote(user_id, safe='')}/memories/changes?limit={_PAGE}")
        return [_changed(each) for each in reversed(page["changes"])]

    async def formed(self, exchanges: int, *, patience: float) -> bool:
        """Wait until that many exchanges were formed since the proxy began, or given up.

        Returns:
            Whether all of them were formed; False also when nothing moved for ``patience`` seconds.
        """
        seen, moved = -1, time.monotonic()
        while time.monotonic() - moved < patience:
            formation = (await self._get("/memory/health"))["formation"] or {}
            done = formation.get("formed", 0) + formation.get("failed", 0)
            if done >= exchanges:
                return not formation["failed"]
            if done != seen:
                seen, moved = done, time.monotonic()
            await asyncio.sleep(_POLL_SECONDS)
        return False

    async def _get(self, path: str) -> dict[str, Any]:
        response = await self._client.get(path, headers=self._headers)
        response.raise_for_status()
        return dict(response.json())


def _changed(update: Mapping[str, Any]) -> Changed:
    verb = "undone" if update["undoes"] else _VERBS.get(update["action"], update["action"])
    return Changed(verb, update["before"] or "", update["after"] or "")
