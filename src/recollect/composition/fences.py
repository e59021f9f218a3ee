"""The fences between what a memory service notes and what is said: nothing noted can open, close or imitate one.

Pure. Never: what stands between them.
"""

import re

MEMORIES = "recollect_memories"
HISTORY = "recollect_history"

_UNSEEN = "\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff\U000e0000-\U000e0fff"
"""Characters without looks: a tag that holds some of them still reads as that tag."""

_ANGLES = "<\uff1c\u2039\u3008\u27e8\ufe64"
"""What opens a tag, or looks as if it did."""


def _spread(word: str) -> str:
    return f"[{_UNSEEN}]*".join(word)


_FENCE_IN_TEXT = re.compile(
    rf"[{_ANGLES}](?=[\s/{_UNSEEN}]*{_spread('recollect')}[\s_\-{_UNSEEN}]*"
    rf"(?:{_spread('memories')}|{_spread('history')}))",
    re.IGNORECASE,
)
_INNOCENT = "("


def quoted(text: str) -> str:
    """Return text that can neither open, close nor imitate a fence, nor a bullet of its own.

    Continuation lines are indented, so that only ours begin at the margin.
    """
    lines = (line.strip() for line in unfenced(text).splitlines())
    return "\n  ".join(line for line in lines if line)


def quoted_code(text: str) -> str:
    """Return code as ``quoted`` does, its lines indented as they were."""
    lines = (line.rstrip() for line in unfenced(text).expandtabs(4).splitlines())
    return "\n  ".join(line for line in lines if line)


def unfenced(text: str) -> str:
    """Return text in which no fence begins."""
    return _FENCE_IN_TEXT.sub(_INNOCENT, text)
