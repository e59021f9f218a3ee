"""Reads the names of the people who write in one chat. Pure."""

from collections.abc import Sequence

from recollect.model import Exchange, Role

_LONGEST_NAME = 100


def speaker_of(name: str | None) -> str:
    """Return a speaker's name in one line, shortened; "" for none."""
    return " ".join((name or "").split())[:_LONGEST_NAME]


def several_speakers(exchanges: Sequence[Exchange]) -> tuple[str, ...]:
    """Return the names of all people who write as the user in exchanges of one chat and before them; none for one person alone.

    Clients of chat rooms send the name with each message. A first name and a full name that begins with it are one person's.
    """
    named = [
        *(each.speaker for exchange in exchanges for each in exchange.turn.history if each.role is Role.USER),
        *(exchange.turn.speaker for exchange in exchanges),
    ]
    names = {f"{name} ".casefold(): name for name in map(speaker_of, named) if name}
    people = [
        name for key, name in names.items() if not any(each != key and each.startswith(key) for each in names)
    ]
    return tuple(people) if len(people) > 1 else ()
