"""
title: Undo what was remembered
author: Recollect
version: 0.1.0
license: Apache-2.0
description: A button under an answer that takes back what the Recollect filter remembered of that message.
required_open_webui_version: 0.12.4
requirements: recollect-memory[openwebui]==0.1.0
It never knows open_webui's own modules, SQL, which engine there is, nor keeps anything of one request.
"""  # noqa: D205, D212 -- Open WebUI reads its metadata here, and only from the second line on

import asyncio
import logging
from typing import Any

_ICON = (
    "data:image/svg+xml;base64,PHN2ZyB4bWxucz0iaHR0cDovL3d3dy53My5vcmcvMjAwMC9zdmciIHZpZXdCb3g9IjAgMCAyNC"
    "AyNCIgZmlsbD0ibm9uZSIgc3Ryb2tlPSIjNzY3Njc2IiBzdHJva2Utd2lkdGg9IjEuNSIgc3Ryb2tlLWxpbmVjYXA9InJvdW5kIj"
    "48cGF0aCBkPSJNOSAxNCA0IDlsNS01TTQgOWgxMGE2IDYgMCAwIDEgMCAxMmgtMyIvPjwvc3ZnPg=="
)
_FAILED = {"type": "error", "content": "What was remembered could not be undone just now."}

log = logging.getLogger("recollect_openwebui")


class Action:
    """Undoes what one message taught, by the engine of the Recollect filter."""

    def __init__(self) -> None:
        self.icon = _ICON

    async def action(self, body: dict[str, Any], __user__: Any = None, __event_emitter__: Any = None) -> None:
        """Undo it, and say what was undone."""
        try:
            await asyncio.to_thread(__import__, "recollect_openwebui")  # may take long, once: others chat
            import recollect_openwebui as openwebui  # noqa: PLC0415 -- Open WebUI must be able to load it without

            told = await openwebui.undo(body, __user__)
        except Exception as error:  # noqa: BLE001 -- its message may quote the chat, and would be shown as it is
            log.error("Recollect: nothing was undone: %s", type(error).__name__)  # noqa: TRY400 -- as above
            told = [{"type": "notification", "data": _FAILED}]
        if __event_emitter__ is not None:
            for event in told:
                await __event_emitter__(event)
