"""Reports on a turn's recall in headers of the answer, and counts why requests had no memory. Pure."""

import json
from collections import Counter
from collections.abc import Sequence
from uuid import UUID

from recollect.engine.turns.prompt_content import Prepared
from recollect.model import Memory, Recall, Recollection, Skip
from recollect_proxy.web.asgi import Headers

_PREVIEW_CHARACTERS = 160
_HEADER_BYTES = 6_000
"""The most bytes that memories take in a header: most clients and gateways take 8 kB for all of them."""


class RecallReports:
    """Makes the headers about recall, and counts why requests had no memory.

    Attributes:
        skipped: How many had none, by reason, since the start.
    """

    def __init__(self) -> None:
        self.skipped: Counter[Skip] = Counter()

    def skip(self, reason: Skip | None) -> Headers:
        """Return the headers of a request that had no turn to recall for, and count it."""
        return self.about(Prepared(Recall(skipped=reason)))

    def about(self, prepared: Prepared, request_id: UUID | None = None, *, listed: bool = False) -> Headers:
        """Return the headers about a prompt's additions, and count them; if ``listed``, one lists the memories themselves."""
        recall, placed = prepared.recall, prepared.placed
        if recall.skipped is not None:
            self.skipped[recall.skipped] += 1
        included = prepared.included
        headers = [(b"x-recollect-memories", b"%d" % (len(placed.own.items) if placed.own else 0))]
        if prepared.in_place:
            headers.append((b"x-recollect-memories-in-place", b"%d" % len(prepared.in_place)))
        if recall.skipped is not None:
            headers.append((b"x-recollect-skipped", recall.skipped.encode()))
        if request_id is None:
            return headers
        headers += [
            (b"x-recollect-request-id", str(request_id).encode()),
            (b"x-recollect-memory-tokens", b"%d" % (placed.own.tokens if placed.own else 0)),
            (b"x-recollect-standing-tokens", b"%d" % (placed.block.standing_tokens if placed.block else 0)),
            (b"x-recollect-chat-memory-tokens", b"%d" % placed.tokens),
            (b"x-recollect-history-tokens", b"%d" % placed.history_tokens),
            (b"x-recollect-milliseconds", b"%.1f" % recall.milliseconds),
        ]
        if recall.degraded:
            headers.append((b"x-recollect-degraded", ",".join(recall.degraded).encode()))
        return [*headers, (b"x-recollect-memory-list", memory_list_header(included))] if listed else headers


def listed_memories(recollections: Sequence[Recollection]) -> list[dict[str, object]]:
    """Return recollections as an answer shows them: id, kind, source, preview (160 characters at most), score.

    Items of the standing part are marked.
    """
    return [
        {
            "id": str(each.item.id),
            "kind": each.item.kind.value if isinstance(each.item, Memory) else "message",
            "source": each.item.source.value if isinstance(each.item, Memory) else "log",
            "preview": preview(each.item.content),
            "score": round(each.score, 4),
            **({"standing": True} if each.standing else {}),
        }
        for each in recollections
    ]


def memory_list_header(recollections: Sequence[Recollection]) -> bytes:
    """Return recollections as a JSON list in ASCII, best first, as many as a header holds."""
    listed: list[dict[str, object]] = []
    for each in listed_memories(recollections):
        if len(json.dumps([*listed, each])) > _HEADER_BYTES:
            break
        listed.append(each)
    return json.dumps(listed).encode("ascii")


def preview(text: str) -> str:
    """Return the beginning of a text, in one line."""
    line = " ".join(text.split())
    return line if len(line) <= _PREVIEW_CHARACTERS else line[: _PREVIEW_CHARACTERS - 1] + "\u2026"
