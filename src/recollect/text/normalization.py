"""Normalizes texts and ids for the store, compares texts for equality, and recognizes ids that are unfilled templates.

A client that sends `{{USER_ID}}` or `undefined` sends it for all its users, who would share one memory. An unfilled template is
recognized by its shape, so that no frontend has to be listed.
"""

import hashlib
import unicodedata
from collections.abc import Sequence

from recollect.errors import StoreError
from recollect.model import COMMONS
from recollect.text.patterns import bounded, linear

_ENDINGS = ".!?;,:\u2026\u3002\u3001\uff01\uff1f\uff1b\uff0c\uff1a\u061f\u06d4\u0964 "
_UNSTORABLE = bounded("[\x00\ud800-\udfff]")


def normalize(text: str) -> str:
    """Return ``text`` without the differences of width, case, spaces and marks that end a sentence, unless it has nothing else."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    collapsed = " ".join(folded.split())
    return collapsed.rstrip(_ENDINGS) or collapsed


def content_hash(text: str) -> bytes:
    """Return the 32 bytes (SHA-256) that two equal statements share."""
    return hashlib.sha256(normalize(storable_text(text)).encode()).digest()


def storable_text(text: str) -> str:
    """Return ``text`` with U+FFFD in place of characters that Postgres can't hold (NUL, lone surrogates)."""
    return text if _is_storable(text) else _UNSTORABLE.sub("\ufffd", text)


def storable_id(text: str) -> str:
    """Return an id that another system chose; raise StoreError if it is empty, or holds NUL or a lone surrogate.

    An id is never changed, as two of them might become one.
    """
    if not text:
        raise StoreError("An id is empty.")
    if not _is_storable(text):
        raise StoreError("An id holds NUL or a lone surrogate, which can't be stored.")
    return text


def storable_user(user_id: str) -> str:
    """Return a user's id; raise StoreError if it is not storable, or the name of the commons."""
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
    """Return ``text[begins:ends]`` with an ellipsis for each cut within it.

    ``cuts`` has the start and the end of each cut in turn, in order. A cut that is not wholly within the piece is ignored.
    """
    kept: list[str] = []
    at = begins
    for start, end in zip(cuts[::2], cuts[1::2], strict=True):
        if at <= start and end <= ends:
            kept += text[at:start], "\u2026"
            at = end
    return "".join((*kept, text[at:ends]))


_NAME = r"[\pL_][\w\pM.]*"
"""A variable or a property: `user.id`, `名前`."""

_WORDS = r"[\pL_][\pL\pM_ .,:;'\u2019/|()?!\\-]*"
"""A few words in place of a value: `your id here`. Without digits, so that a GUID in braces is none."""

_NOTHING = r"(?i:undefined|null|none|nil|nan|n/a|\(null\)|true|false)"
"""How programs write that there is no value, or that there is one."""

_THING = (
    r"(?i:user|usr|uid|account|client|customer|person|member|owner|chat|conversation|conv|session|thread|channel|message|msg"
    r"|parent|task|request|id)"
)
"""The things that have ids."""

_BETWEEN = r"[-_:=/.|#@ ]"

_WHOLE = (
    # Nothing, on its own, in quotes or brackets, several times, or after the name of its thing.
    rf"(?:{_NOTHING}{_BETWEEN}*)+",
    rf"(?:{_THING}{_BETWEEN}?)*{_THING}{_BETWEEN}+(?:{_NOTHING}{_BETWEEN}*)+",
    r".*[-:=/| ]undefined|undefined[-:=/| @].*",
    # Marks alone; characters that hide others; the UUID that stands for none (RFC 9562, section 5.9).
    r"[!-/:-@\[-`{-~\s]{3,}|[-?]+|\{\}|\[\]|\(\)|<>|[\[{(][0-9]*[:!]?\w?[\]})]|#N/A|Optional\.empty|(?i:&lt;.*&gt;)",
    r"(?i:x{8}(?:-x{4}){3}-x{12})|0{8}-?0{4}-?0{4}-?0{4}-?0{12}",
    # A name in brackets, or between a mark and the same again.
    rf"[<\u00ab\u2039\u27e8\uff1c\u3010\u300c]{{1,3}}[%?=]?\s*/?(?:{_NAME}|{_WORDS}|[\pL_][\w\pM-]*)\s*[%?]?[>\u00bb\u203a\u27e9\uff1e\u3011\u300d]{{1,3}}",
    rf"(?:\[{{1,3}}|\({{1,3}}|[#&@^!%:]?\{{{{1,3}})[=%#@^&:]?\s*(?:{_NAME}|{_WORDS})\s*[%#@|]?(?:\]{{1,3}}|\){{1,3}}|\}}{{1,3}})",
    *(
        rf"{mark}{{1,3}}\s*(?:{_NAME}|{_WORDS})\s*{mark}{{1,3}}"
        for mark in ("%", r"\$", "#", "@", "!", r"\|", "~", r"\^", "`")
    ),
    r"\*\|.*\|\*|__[A-Z][A-Z0-9_]*__",
    # A variable, by its first mark; a place for a value; the name of the field.
    rf"(?:.*{_BETWEEN})?\$(?:env:)?(?:{_NAME}|[0-9*@#?]+)",
    r"[$%][-+ #0-9.]*[a-zA-Z@]|[:?][0-9]+|:[\pL_][\w]*",
    rf"(?i:(?:your|my|the|current|some|insert|enter|librechat|openwebui|webui)?[-_ .]?)[@:]?(?:{_THING}[-_ .]?)+(?i:[-_ .]?(?:id|uuid|guid|name|here)s?)+",
    r"(?i:(?:process\.|import\.meta\.|os\.)?env(?:iron)?[.:\[].*)",
    # A program's own text for a function or a thing of unknown kind.
    r"(?s:(?:async )?function\b.*\(.*|.*\)\s*=>.*|<(?:class|function|built-in|bound|module|property|coroutine|generator|method)\b.*>|.* object at 0x[0-9a-fA-F]+>|Promise \{.*|\[(?:Async|Generator)?Function\b.*\]|\[class .*\])",
)
_ANYWHERE = (
    r"\{\{|\}\}|\$\{|\$\(|\$\[|#\{|%\{|@\{|\{%|%\}|<%|%>|<\?|\{\$|\\\(",  # how templates open and close a place
    r"%\([\w.]+\)[a-z]",
    r"\[object \w+\]|\[native code\]|\uff5b\uff5b|(?i:%7b%7b|\\u007b|&#123;|&#x7b;)",
)

_UNFILLED = linear(rf"^[\"'\s]*(?:{'|'.join(_WHOLE)})?[\"'\s]*$|{'|'.join(_ANYWHERE)}", captures=False)


def is_unfilled(text: str) -> bool:
    """Return whether an id is a template that was not filled in, by its shape. It may be an id of a person, a chat, a message or a task."""
    return _UNFILLED.search(text) is not None
