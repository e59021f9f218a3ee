"""Completes the ids that a user of the command line abbreviates: of memories, changes and chats.

A memory's id may be given by its beginning or its end, a chat's by its beginning.
"""

import re
from collections.abc import Iterable
from uuid import UUID

from recollect_proxy.store_commands.options_of_commands import MISUSED, fail
from recollect_proxy.store_commands.printing import on_a_terminal

_PART = re.compile(r"[0-9a-f-]{4,36}")
_SHOWN = 5


def part_of_id(given: str | None) -> str | None:
    """Return a part of an id in small letters; exit with ``MISUSED`` if no id can have it."""
    if given is None:
        return None
    part = given.strip().lower()
    if not _PART.fullmatch(part):
        fail(f"{given!r} is no id: give its beginning or end, four letters at least.", MISUSED)
    return part


def whole_id(part: str, known: Iterable[UUID], what: str) -> UUID:
    """Return the one known id that begins or ends with ``part``; a whole id need not be known.

    Exits with ``MISUSED`` and a line on stderr if several ids or none fit. ``what`` says in that line whose id it is.
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
    """Return the one chat id that is ``part`` or begins with it; ``part`` itself if none does."""
    chats = list(known)
    found = [part] if part in chats else [each for each in chats if each.startswith(part)]
    if len(found) > 1:
        fail(_several(part, found, len(found)), MISUSED)
    return found[0] if found else part


def _several(part: str, found: Iterable[str], count: int) -> str:
    shown = [f"  {on_a_terminal(each)}" for each in found][:_SHOWN]
    more = [f"  and {count - _SHOWN} more"] if count > _SHOWN else []
    return "\n".join([f"{part} is ambiguous:", *shown, *more])
