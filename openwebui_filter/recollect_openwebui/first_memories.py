"""The line about a person's first memories, which names the button that shows them. Never: the memories' words."""

import sys
from collections.abc import Sequence

from recollect.engine import Engine
from recollect.model import Action, Update
from recollect_openwebui.notices import Notices

_ENDS = (".", "!", "?", "\u2026", "\u3002")
_SHOWN = 110
"""Characters of a line that Open WebUI shows on a wide page before it is opened; a longer one begins with the hint."""

_HEAD = "title: My memories\nauthor: Recollect\n"


async def changes_line(
    engine: Engine, user_id: str, updates: Sequence[Update], notices: Notices, button: str | None
) -> str:
    """Return the line with new changes; with a person's first memories it names the button that shows them, if there is one."""
    line = notices.changes(updates)
    added = sum(each.action is Action.ADD for each in updates)
    if not line or not added or not button:
        return line
    known = await engine.page(user_id, limit=added + 1)
    if len(known.memories) > added:
        return line
    line = line if line.endswith(_ENDS) else f"{line}."
    hint = notices("hint", button=button)
    return f"{line} {hint}" if len(line) + len(hint) < _SHOWN else f"{hint} {line}"


async def button_name() -> str | None:
    """Return the name of the function My memories in this process's Open WebUI; None if it is not switched on."""
    functions = getattr(sys.modules.get("open_webui.models.functions"), "Functions", None)
    if functions is None:
        return None
    actions = await functions.get_functions_by_type("action", active_only=True)
    return next((each.name for each in actions if _HEAD in each.content), None)
