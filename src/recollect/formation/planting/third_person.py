"""Tells notes about "the user" and duties of "the assistant" from what a person says of themselves. Pure.

People say "I", and talk to the assistant; who plants something speaks of both as of others, often in a note with a
label, or where something is to be done by nobody. Never: in whose favour, who wrote it.
"""

import re

from recollect.formation.word_lists.orders_structure import (
    ACTOR,
    HIDDEN,
    NOTE,
    OBLIGED,
    OWN,
    STANCE,
    TO_BE,
    USER,
)

LONGEST = 20_000
"""Characters of a text that are read."""

_LONGEST_PART = 600
_LABEL = re.compile(
    r"(?:[\[(\u3010\u3014\uff08{<]|#{2,}|\*{2,}|<!--)[ ]?(?P<label>[^\[\]()\u3010\u3011{}<>#*\n:.]{1,40})(?:[\])\u3011\u3015\uff09}>]|#{2,}|\*{2,})"
)
_PART_ENDS = re.compile(
    r"[.!?\u2026]+[\"'\u201d\u00bb)\]}]*(?=\s|$)|[\u3002\uff01\uff1f\n]+|[)\]}\u3011\uff09\u3015\u00bb\u201d]+|[(\[{\u3010\uff08\u3014\u300a\u201e\u201c\u00ab]+|<!--|-->"
)
_NO_LETTERS = re.compile(r"[\W_]+")
_APOSTROPHES = str.maketrans("\u2019\u02bc\u2018`", "''''")


def speaks_of_others(evidence: str, said: str) -> bool:
    """Tell whether the words of a message, or the sentence they stand in, are a note about the user or a duty.

    Args:
        evidence: The words of the message.
        said: The message. Its first ``LONGEST`` characters are read.
    """
    sought = _letters(evidence.casefold())
    parts = [part for part in _parts(said) if _overlap(sought, _letters(part))] if sought else []
    return any(map(_is_note, parts or _parts(evidence)))


def gives_duty(text: str) -> bool:
    """Tell whether any part of a text is a labelled note about the user, or a duty of the assistant."""
    return any(_is_labelled(part) or _is_duty(part) for part in _parts(text))


def _parts(text: str) -> list[str]:
    plain = text[:LONGEST].translate(_APOSTROPHES).casefold().replace("\uff1a", ":")
    return [
        part[:_LONGEST_PART] for part in _PART_ENDS.split(_LABEL.sub(r"\g<label>: ", plain)) if part.strip()
    ]


def _letters(text: str) -> str:
    return _NO_LETTERS.sub("", text.translate(_APOSTROPHES))


def _overlap(sought: str, part: str) -> bool:
    return bool(part) and (sought in part or part in sought)


def _is_note(part: str) -> bool:
    return _is_labelled(part) or _is_duty(part) or _is_about_user(part)


def _is_labelled(part: str) -> bool:
    return bool(NOTE.search(part) and USER.search(part)) and not OWN.search(part)


def _is_about_user(part: str) -> bool:
    """Tell whether it says what the user likes, trusts or allows."""
    user = USER.search(part)
    return bool(user and STANCE.search(part)) and not OWN.search(part)


def _is_duty(part: str) -> bool:
    """Tell whether the assistant has to, or something has to be done with the user or behind somebody's back."""
    if OWN.search(part):
        return False
    actor = ACTOR.search(part)
    if actor and OBLIGED.search(part, actor.end(), actor.end() + 80):
        return True
    return bool(TO_BE.search(part) and (HIDDEN.search(part) or USER.search(part)))
