"""
title: No memory
author: Recollect
version: 0.1.0
license: Apache-2.0
description: Switched on in a chat, nothing is recalled for it and nothing remembered of it.
required_open_webui_version: 0.12.4
It never knows open_webui's own modules, nor Recollect's: it leaves a mark for the Recollect filter, or for the proxy.
"""  # noqa: D205, D212 -- Open WebUI reads its metadata here, and only from the second line on

from typing import Annotated, Any

from pydantic import BaseModel, Field

_ICON = (
    "data:image/svg+xml;base64,PHN2ZyB4bWxucz0iaHR0cDovL3d3dy53My5vcmcvMjAwMC9zdmciIHZpZXdCb3g9IjAgMCAyNC"
    "AyNCIgZmlsbD0ibm9uZSIgc3Ryb2tlPSIjNzY3Njc2IiBzdHJva2Utd2lkdGg9IjEuNSIgc3Ryb2tlLWxpbmVjYXA9InJvdW5kIj"
    "48cGF0aCBkPSJNNyA0aDEwdjE2bC01LTQtNSA0ek0zIDNsMTggMTgiLz48L3N2Zz4="
)


class Filter:
    """Switches memory off for the messages that are sent while it is on."""

    class Valves(BaseModel):
        """The administrator's settings."""

        priority: Annotated[int, Field(description="Lower than the Recollect filter's: it runs first.")] = -1
        proxy: Annotated[bool, Field(description="On with the proxy: requests carry an option for it.")] = (
            False
        )

    def __init__(self) -> None:
        self.valves = self.Valves()
        self.toggle = True  # Open WebUI runs it only in chats where the person chose it
        self.icon = _ICON

    async def inlet(self, body: dict[str, Any], __metadata__: Any = None) -> dict[str, Any]:
        """Mark the request, for all hooks of the Recollect filter, or for the proxy."""
        if self.valves.proxy:
            body["recollect"] = {"recall": False, "remember": False}
        if isinstance(__metadata__, dict):
            __metadata__["recollect_off"] = True
        return body
