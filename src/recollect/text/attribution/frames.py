"""Takes off the elements that a client puts in front of a message and behind it, at the speed of a search for their tags. Pure."""

from recollect.text.attribution.marked_blocks import FORMATTING, OWN_ELEMENT
from recollect.text.patterns import anchored, bounded

_OPENING = anchored(r"\s*<(?P<name>[A-Za-z_][\w:.-]{0,60})(?:\s[^<>]{0,400})?>")
_CLOSING = bounded(r"</(?P<name>[A-Za-z_][\w:.-]{0,60})>\s*$")
_TAIL = 200
_MOST = 20
"""Elements that are taken off on either side."""


def without_frame(text: str) -> str:
    """Return a message without the elements in front of it and behind it; the whole where nothing else is left.

    An element with the person's own words in it ("user_query") stays; if it alone is left, its words are returned.
    """
    start = end = 0
    for _ in range(_MOST):
        opening = _OPENING.match(text, start)
        if opening is None or _stays(opening["name"]):
            break
        closing = f"</{opening['name']}>"
        if (end := text.find(closing, opening.end())) < 0:
            break
        start = end + len(closing)
    end = len(text)
    for _ in range(_MOST):
        tag = _CLOSING.search(text[max(start, end - _TAIL) : end])
        begins = -1 if tag is None or _stays(tag["name"]) else text.find(f"\n<{tag['name']}", start, end)
        if begins < 0:
            break
        end = begins
    return _inner(text[start:end].strip()) or text


def _stays(name: str) -> bool:
    return name.lower() in FORMATTING or OWN_ELEMENT.search(name) is not None


def _inner(text: str) -> str:
    opening = _OPENING.match(text)
    if opening is None or OWN_ELEMENT.search(opening["name"]) is None:
        return text
    closing = f"</{opening['name']}>"
    return (
        text[opening.end() :].removesuffix(closing).strip()
        if text.find(closing) == len(text) - len(closing)
        else text
    )
