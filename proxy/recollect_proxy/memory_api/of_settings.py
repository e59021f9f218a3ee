"""The operations on settings. Each function has the name of its row, and its docstring documents the row."""

from dataclasses import asdict, replace
from typing import Any

from msgspec import UNSET

from recollect import model
from recollect.api.failures import FORBIDDEN
from recollect_proxy.memory_api.reading import RefusedError, changes, invalid_field
from recollect_proxy.memory_api.request_and_reply import Asked
from recollect_proxy.settings.flags import OF_ADMINISTRATORS, misread


async def read_settings(asked: Asked) -> Any:
    """Read the settings for everybody.

    The changed settings. A null setting has the value with which Recollect was started, which `effective` holds.
    """
    return await _of_everybody(asked, await asked.engine.flags())


async def change_settings(asked: Asked) -> Any:
    """Change settings for everybody.

    From the next request on; a restart keeps them. A user's own settings take precedence.

    `profile` is not among them: each user allows it for themselves.
    """
    return await _of_everybody(asked, await _change(asked, None))


async def read_user_settings(asked: Asked) -> Any:
    """Read a user's settings.

    The settings changed for the user, and the effective ones.
    """
    return await _of_user(asked, await asked.engine.flags(asked.user_id))


async def change_user_settings(asked: Asked) -> Any:
    """Change settings for a user.

    From their next request on; a restart keeps them. Only administrators change caps.

    Each change stays visible to the user for a year, with the name of the token, along with administrators' reads.
    """
    if not asked.who.is_administrator:
        for name in OF_ADMINISTRATORS:
            if getattr(asked.sent, name) is not UNSET:
                raise RefusedError(replace(FORBIDDEN, about=name))
    return await _of_user(asked, await _change(asked, asked.user_id))


async def _of_everybody(asked: Asked, changed: model.Flags) -> dict[str, Any]:
    return {**asdict(changed), "effective": (await asked.engine.policy_of(None)).flags}


async def _of_user(asked: Asked, own: model.Flags) -> dict[str, Any]:
    effective = (await asked.engine.policy_of(asked.user_id)).flags
    return {"own": own, "effective": replace(effective, profile=bool(own.profile))}


async def _change(asked: Asked, user_id: str | None) -> model.Flags:
    given = changes(asked.sent)
    if wrong := misread(asked.sent):
        name, must = wrong
        raise invalid_field(name, f"`{name}` must be {must}, or null.")
    return await asked.engine.change_flags(model.Flags(**given), tuple(given), user_id, by=asked.who.changer)
