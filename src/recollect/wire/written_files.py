"""Cuts files out of a user's message that a frontend wrote into its text.

Never: raises, or cuts a file out that has no end and no part of its own: people paste files, too. The shapes are
LibreChat's and Cherry Studio's.
"""

from collections.abc import Sequence

from recollect.text.patterns import anchored

_FENCED = anchored(r'Attached document\(s\):\n```\w{0,20} ?# "[^"\n]{1,255}"\n')
"""LibreChat: a heading, and behind it a block of code that begins with the first file's name."""
_FENCE_CLOSES = "\n\n```\n"
_FILE_NAME = anchored(r"[^\n\\/:*?\"<>|]{1,255}\.\w{1,8}\r?\n")
"""Cherry Studio: each part behind the words is a file, and its first line is its name."""


def without_files(text: str) -> str:
    """Return a user's text without the files in it.

    A file in front ends with the last fence that closes it: it may hold others, and its words must never pass as the user's.
    """
    if not _FENCED.match(text):
        return text
    _, closes, behind = f"{text}\n".rpartition(_FENCE_CLOSES)
    return behind if closes else text


def without_file_parts(texts: Sequence[str]) -> Sequence[str]:
    """Return the text parts of a message; the first alone if all behind it are files."""
    return texts[:1] if all(map(_FILE_NAME.match, texts[1:])) else texts
