"""What an answer says about its memories: response headers, and a JSON key when asked.

Never: text of a user in a header; counts of any one user.
"""

from collections import Counter
from collections.abc import Sequence

from recollect.composition import Block
from recollect.model import Recall, Recollection, Skip
from recollect_proxy.asgi import Headers, values

INCLUDE_HEADER = b"x-recollect-include"
_PREVIEW_CHARACTERS = 160


class Reports:
    """Reports on each request, and counts why requests had no memory.

    Attributes:
        skipped: How many had none, by reason, since the start.
    """

    def __init__(self) -> None:
        """Nothing was reported yet."""
        self.skipped: Counter[Skip] = Counter()

    def about(self, recall: Recall, block: Block | None = None) -> Headers:
        """Return what ``report`` does, and count it."""
        if recall.skipped is not None:
            self.skipped[recall.skipped] += 1
        return report(recall, block)


def report(recall: Recall, block: Block | None) -> Headers:
    """Return the headers that say how many memories went into the prompt, or why none did."""
    count = len(block.recollections) if block else 0
    headers = [(b"x-recollect-memories", b"%d" % count)]
    if recall.skipped is not None:
        headers.append((b"x-recollect-skipped", recall.skipped.encode()))
    return headers


def wants_memories(headers: Headers) -> bool:
    """Whether the client asked for the memories in the answer's JSON."""
    asked = b",".join(values(headers, INCLUDE_HEADER)).lower()
    return b"memories" in {item.strip() for item in asked.split(b",")}


def shown(recollections: Sequence[Recollection]) -> list[dict[str, object]]:
    """Return recollections as an answer shows them: id, kind, preview (at most 160 characters), score."""
    return [
        {
            "id": str(recollection.memory.id),
            "kind": recollection.memory.kind.value,
            "preview": preview(recollection.memory.content),
            "score": round(recollection.score, 4),
        }
        for recollection in recollections
    ]


def preview(text: str) -> str:
    """Return the beginning of a text, in one line."""
    line = " ".join(text.split())
    return line if len(line) <= _PREVIEW_CHARACTERS else line[: _PREVIEW_CHARACTERS - 1] + "\u2026"
