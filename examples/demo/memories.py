"""The Memory API, as an administrator uses it. Never: the engine."""

import asyncio
import time
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

import httpx

from recollect.model import Kind

_POLL_SECONDS = 0.1
_PAGE = 200


@dataclass(frozen=True, slots=True)
class Remembered:
    """A memory as the API shows it."""

    kind: str
    content: str


class MemoryApi:
    """Reads what the proxy remembers."""

    def __init__(self, client: httpx.AsyncClient, token: str) -> None:
        """Use the API.

        Args:
            client: Its base URL is the proxy's origin.
            token: The admin token.
        """
        self._client = client
        self._headers = {"Authorization": f"Bearer {token}"}

    async def of(self, user_id: str) -> list[Remembered]:
        """Return the user's memories of each kind, oldest first."""
        kinds = "&".join(f"kind={kind}" for kind in Kind)
        page = await self._get(f"/memory/users/{quote(user_id, safe='')}/memories?limit={_PAGE}&{kinds}")
        return [Remembered(memory["kind"], memory["content"]) for memory in reversed(page["memories"])]

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
