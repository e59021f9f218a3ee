"""
title: Recollect's events
author: Recollect
version: 0.1.0
license: Apache-2.0
description: Erases the memories of a user whose account is deleted.
required_open_webui_version: 0.12.4
requirements: recollect-memory[openwebui]==0.1.0
It never knows open_webui's own modules, SQL, which engine there is, nor keeps anything of one event.
"""  # noqa: D205, D212 -- Open WebUI reads its metadata here, and only from the second line on

import asyncio
import logging
from typing import Any

log = logging.getLogger("recollect.openwebui")


class Event:
    """Erases who is deleted, by the engine of the Recollect filter."""

    async def event(self, event: dict[str, Any]) -> None:
        """Begin to erase a deleted user; whatever else happens is nothing to us."""
        subject = event.get("subject") or {}
        if event.get("event") != "user.deleted" or subject.get("type") != "user" or not subject.get("id"):
            return
        try:
            await asyncio.to_thread(__import__, "recollect.openwebui")  # may take long, once: others chat
            from recollect import openwebui  # noqa: PLC0415 -- Open WebUI must be able to load it without

            openwebui.begin_erasing(str(subject["id"]))
        except ImportError as error:
            missing = str(error.name).partition(".")[0]
            log.error("Recollect: user %s is not erased, module %s is missing", subject["id"], missing)  # noqa: TRY400 -- the line says it all
