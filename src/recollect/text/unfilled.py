r"""Tells an id from a template that was not filled in: `{{USER_ID}}`, `$USER`, `undefined`, `[object Object]`.

A client that sends such a text sends the same for all its people: as an id it would make one person of many. Never: a list of frontends.
"""

from recollect.text.patterns import linear

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
