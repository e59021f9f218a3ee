"""Cuts files out of a user's message that a frontend wrote into its text.

Never: raises, or takes a file for one that has no name. The shapes are LibreChat's, Jan's and Cherry Studio's.
"""

from collections.abc import Sequence

from recollect.text.patterns import anchored, linear

_FENCED = anchored(r'[^\n]{1,80}:\n```\w{0,20} ?# "[^"\n]{1,255}"\n')
"""LibreChat: a heading, and behind it a block of code that begins with the first file's name."""
_FENCE_CLOSES = "\n\n```\n"
_LABEL = "File: "
_LABELLED = linear(r"(?:\A|\n\n)File: [^\n]{1,255}\.\w{1,8}\n")
"""Jan: each file stands behind the words, under its name."""
_FILE_NAME = anchored(r"[^\n\\/:*?\"<>|]{1,255}\.\w{1,8}\r?\n")
"""Cherry Studio: a file is a part of its own, behind the words, and its first line is its name."""


def without_files(text: str) -> str:
    """Return a user's text without the files in it.

    A file in front ends with the last fence that closes it: it may hold others, and its words must never pass as the user's.
    """
    if _FENCED.match(text):
        _, closes, behind = f"{text}\n".rpartition(_FENCE_CLOSES)
        text = behind if closes else ""
    labelled = _LABELLED.search(text) if _LABEL in text else None  # a hundred times as fast
    return text[: labelled.start()] if labelled else text


def without_file_parts(texts: Sequence[str]) -> list[str]:
    """Return the text parts of a message without those behind the first that are files."""
    return [text for place, text in enumerate(texts) if not (place and _FILE_NAME.match(text))]
