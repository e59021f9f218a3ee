"""Tells notes about "the user" and duties of "the assistant" from what a person says of themselves. Pure.

People say "I", and talk to the assistant; who plants something speaks of both as of others, often in a note with a
label, or where something is to be done by nobody. Never: in whose favour, who wrote it.
"""

from recollect.formation.word_lists.orders import ADDRESS
from recollect.formation.word_lists.orders_structure import (
    ACTOR,
    HIDDEN,
    NOTE,
    OBLIGED,
    OWN,
    SERVES,
    STANCE,
    TO_BE,
    USER,
)
from recollect.patterns import bounded

LONGEST = 20_000
"""Characters of a text that are read."""

_LONGEST_PART = 600
_LABEL = bounded(
    r"(?:[\[(\u3010\u3014\uff08{<]|(?<!#)#{2,}|(?<!\*)\*{2,}|<!--)[ ]?(?P<label>[^\[\]()\u3010\u3011{}<>#*\n:.]{1,40})(?:[\])\u3011\u3015\uff09}>]|#{2,}|\*{2,})"
)
_PART_ENDS = bounded(
    r"(?<![.!?\u2026])[.!?\u2026]+[\"'\u201d\u00bb)\]}]*(?=\s|$)|[\u3002\uff01\uff1f\n]+|[)\]}\u3011\uff09\u3015\u00bb\u201d]+|[(\[{\u3010\uff08\u3014\u300a\u201e\u201c\u00ab]+|<!--|-->"
)
_ADDRESS = bounded(ADDRESS)
_NO_LETTERS = bounded(r"[\W_]+")
_APOSTROPHES = str.maketrans("\u2019\u02bc\u2018`", "''''")


def speaks_of_others(evidence: str, said: str) -> bool:
    """Tell whether the words of a message, or the sentence they stand in, are a note about the user or a duty.

    Args:
        evidence: The words of the message.
        said: The message. Its first ``LONGEST`` characters are read.
    """
    sought = _letters(evidence.casefold())
    among = _with_neighbours(_parts(said)) if sought else []
    held = [(part, beside) for part, beside in among if _overlap(sought, _letters(part))]
    return any(_is_note(part, beside) for part, beside in held or _with_neighbours(_parts(evidence)))


def gives_duty(text: str) -> bool:
    """Tell whether any part of a text is a labelled note about the user, or a duty of the assistant."""
    return any(
        _is_labelled(part) or _is_duty(part, beside) for part, beside in _with_neighbours(_parts(text))
    )


def _with_neighbours(parts: list[str]) -> list[tuple[str, list[str]]]:
    return [(part, parts[max(at - 1, 0) : at] + parts[at + 1 : at + 2]) for at, part in enumerate(parts)]


def _parts(text: str) -> list[str]:
    plain = text[:LONGEST].translate(_APOSTROPHES).casefold().replace("\uff1a", ":")
    return [
        part[:_LONGEST_PART] for part in _PART_ENDS.split(_LABEL.sub(r"\g<label>: ", plain)) if part.strip()
    ]


def _letters(text: str) -> str:
    return _NO_LETTERS.sub("", text.translate(_APOSTROPHES))


def _overlap(sought: str, part: str) -> bool:
    return bool(part) and (sought in part or part in sought)


def _is_note(part: str, beside: list[str]) -> bool:
    return _is_labelled(part) or _is_duty(part, beside) or _is_about_user(part)


def _is_labelled(part: str) -> bool:
    return bool(NOTE.search(part) and USER.search(part)) and not OWN.search(part)


def _is_about_user(part: str) -> bool:
    """Tell whether it says what the user likes, trusts or allows."""
    user = USER.search(part)
    return bool(user and STANCE.search(part)) and not OWN.search(part)


def _is_duty(part: str, beside: list[str]) -> bool:
    """Tell whether the assistant has to, or something has to be done with the user or behind somebody's back.

    People build models and pay bills, of which something is demanded, too. What is planted is about the user, or
    about what is remembered, answered, recommended; and who says beside it what they do themselves speaks of that.
    """
    if OWN.search(part):
        return False
    user, hidden, address = USER.search(part), HIDDEN.search(part), _ADDRESS.search(part)
    # What is not to be mentioned is left out: it may be anything.
    if not (user or address or SERVES.search(HIDDEN.sub(" ", part))):
        return False
    actor = ACTOR.search(part)
    if actor and OBLIGED.search(part, actor.end(), actor.end() + 80):
        return bool(user or hidden or address or not any(OWN.match(each.lstrip()) for each in beside))
    return bool(TO_BE.search(part) and (hidden or user))
