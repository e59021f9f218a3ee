"""The form in which a store keeps texts and ids, and when two texts count as equal."""

import hashlib
import unicodedata
from collections.abc import Sequence

from recollect.errors import StoreError
from recollect.model import COMMONS
from recollect.text.patterns import bounded

_ENDINGS = ".!?;,:\u2026\u3002\u3001\uff01\uff1f\uff1b\uff0c\uff1a\u061f\u06d4\u0964 "
_UNSTORABLE = bounded("[\x00\ud800-\udfff]")


def normalize(text: str) -> str:
    """Return ``text`` without the differences of width, case, spaces and trailing punctuation.

    Only marks that end a sentence are dropped: ``C`` and ``C#`` are two things. A text of such
    marks alone keeps them.
    """
    folded = unicodedata.normalize("NFKC", text).casefold()
    collapsed = " ".join(folded.split())
    return collapsed.rstrip(_ENDINGS) or collapsed


def content_hash(text: str) -> bytes:
    """Return the 32 bytes (SHA-256) that two equal statements share."""
    return hashlib.sha256(normalize(storable_text(text)).encode()).digest()


def storable_text(text: str) -> str:
    """Return ``text`` with what Postgres can't hold (NUL, lone surrogates) replaced by U+FFFD."""
    return text if _is_storable(text) else _UNSTORABLE.sub("\ufffd", text)


def storable_id(text: str) -> str:
    """Return ``text``, an id that another system chose.

    Raises:
        StoreError: It is empty, or holds NUL or a lone surrogate: an id is never changed, as two
            of them might become one.
    """
    if not text:
        raise StoreError("An id is empty.")
    if not _is_storable(text):
        raise StoreError("An id holds NUL or a lone surrogate, which can't be stored.")
    return text


def storable_user(user_id: str) -> str:
    """Return ``user_id``.

    Raises:
        StoreError: It is no storable id, or the name that what is shared belongs to.
    """
    if user_id == COMMONS:
        raise StoreError("This user id is the name of the commons, which is nobody's.")
    return storable_id(user_id)


def _is_storable(text: str) -> bool:
    """Return whether Postgres can hold a text as it is. Nearly all can be, and to encode one is quicker than to search it."""
    if "\0" in text:
        return False
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def without_cuts(text: str, begins: int, ends: int, cuts: Sequence[int]) -> str:
    """Return a piece of a text without what is cut out within it, for which an ellipsis stands.

    Args:
        text: The text.
        begins: Where the piece begins, in characters.
        ends: Where it ends.
        cuts: Where in the text what is cut out begins and ends, by turns, in order. What is not within the piece stays.
    """
    kept: list[str] = []
    at = begins
    for start, end in zip(cuts[::2], cuts[1::2], strict=True):
        if at <= start and end <= ends:
            kept += text[at:start], "\u2026"
            at = end
    return "".join((*kept, text[at:ends]))
