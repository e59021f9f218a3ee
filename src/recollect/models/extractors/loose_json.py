"""Turns almost-JSON of a model into JSON: Python's or typographic quotes, bare names, quotes within quotes. In linear time."""

_CLOSING = {'"': '"', "'": "'", "\u201c": "\u201d", "\u201e": "\u201c\u201d", "\u201d": "\u201d"}
"""The quotes that may end a text, by the one that opens it."""

_WORDS = {"None": "null", "True": "true", "False": "false", "undefined": "null"}
_MARKS = {"\uff1a": ":", "\uff0c": ",", "\u3001": ","}
_BEFORE_A_TEXT, _AFTER_A_TEXT = "{[,:", ",:}]" + "".join(_MARKS)
_LOOKED_AT = 40
"""The most characters of white space to skip before the next sign."""


def as_json(text: str) -> str:
    """Return a text that begins with a bracket, with every sign that means JSON as JSON."""
    written: list[str] = []
    last, at = "", 0
    while at < len(text):
        char = text[at]
        if char in _CLOSING and (not last or last in _BEFORE_A_TEXT):
            end = _end_of_text(text, at + 1, _CLOSING[char])
            piece = _quoted(text[at + 1 : end])
            last, at = '"', end + 1
        elif char.isalpha() or char == "_":
            end = _end_of_word(text, at)
            word = text[at:end]
            is_key = _next(text, end) in {":", "\uff1a"}
            piece = f'"{word}"' if is_key else _WORDS.get(word, word)
            last, at = word[-1], end
        else:
            piece = _MARKS.get(char, char)
            last, at = last if char.isspace() else piece, at + 1
        written.append(piece)
    return "".join(written)


def _end_of_word(text: str, at: int) -> int:
    while at < len(text) and (text[at].isalnum() or text[at] == "_"):
        at += 1
    return at


def _end_of_text(text: str, at: int, closing: str) -> int:
    """Return where a quoted text ends: at a closing quote before a sign of JSON, or at the end of the whole."""
    while at < len(text):
        if text[at] == "\\":
            at += 1
        elif text[at] in closing and _next(text, at + 1) in _AFTER_A_TEXT:
            return at
        at += 1
    return len(text)


def _next(text: str, at: int) -> str:
    """Return the next character that is no white space; "" at the end."""
    return text[at : at + _LOOKED_AT].lstrip()[:1]


def _quoted(content: str) -> str:
    """Return the text between quotes as a JSON text."""
    pieces: list[str] = []
    at = 0
    while at < len(content):
        char = content[at]
        if char == "\\" and at + 1 < len(content):
            pieces.append("'" if content[at + 1] == "'" else content[at : at + 2])
            at += 1
        else:
            pieces.append('\\"' if char == '"' else char)
        at += 1
    return f'"{"".join(pieces)}"'
