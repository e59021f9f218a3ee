"""Ids by a part of them, as git takes commits: a beginning or an end that only one has. Never: a store."""

import re
from collections.abc import Iterable
from uuid import UUID

from recollect.model import person_of, project_of
from recollect_proxy.store_commands.printing import on_a_terminal
from recollect_proxy.store_commands.running_commands import MISUSED, fail

_PART = re.compile(r"[0-9a-f-]{4,36}")
_SHOWN = 5


def part_of_id(given: str | None) -> str | None:
    """Return a part of an id in small letters; exit with ``MISUSED`` if it can't be one."""
    if given is None:
        return None
    part = given.strip().lower()
    if not _PART.fullmatch(part):
        fail(f"{given!r} is no id: give its beginning or end, four letters at least.", MISUSED)
    return part


def whole_id(part: str, known: Iterable[UUID], what: str) -> UUID:
    """Return the id that begins or ends with ``part``; a whole id is returned though it is not known.

    Exits with ``MISUSED`` and a line if several do, or none does. ``what`` names the thing with such an id.
    """
    letters = part.replace("-", "")
    if len(letters) == 32:  # noqa: PLR2004 -- a whole one
        return UUID(letters)
    found = [
        each for each in dict.fromkeys(known) if each.hex.startswith(letters) or each.hex.endswith(letters)
    ]
    if not found:
        fail(f"No {what} has an id that begins or ends with {part}.", MISUSED)
    if len(found) > 1:
        fail(_several(part, map(str, found), len(found)), MISUSED)
    return found[0]


def whole_chat(part: str, known: Iterable[str]) -> str:
    """Return the chat's id that is ``part`` or alone begins with it; ``part`` itself if none does."""
    chats = list(known)
    found = [part] if part in chats else [each for each in chats if each.startswith(part)]
    if len(found) > 1:
        fail(_several(part, found, len(found)), MISUSED)
    return found[0] if found else part


def _several(part: str, found: Iterable[str], count: int) -> str:
    shown = [f"  {on_a_terminal(each)}" for each in found][:_SHOWN]
    more = [f"  and {count - _SHOWN} more"] if count > _SHOWN else []
    return "\n".join([f"{part} is ambiguous:", *shown, *more])


def named(user_id: str) -> str:
    """Return how a user, or a project of theirs, is shown."""
    project = project_of(user_id)
    return f"{person_of(user_id)} ({project})" if project else user_id
