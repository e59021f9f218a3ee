"""The page of what chats were given of a user's memory, when and why; or why nothing. Never: SQL."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self
from uuid import UUID

from litestar import Response, get
from litestar.params import FromQuery

from recollect.model import ItemPart, Kind, RequestRecord
from recollect_proxy.chat.recall_report import preview
from recollect_proxy.pages.memories import id_named
from recollect_proxy.pages.visit import Reading

_RECALLS = 20
_SIGNALS = 3
_LEAST_SHARE = 0.02
_SIGNAL_OF = (
    (("dense", "near", "first", "rank"), "meaning"),
    (("lexical", "matched", "letters"), "words"),
    (("importance", "vital"), "importance"),
    (("role", "speaker"), "person"),
    (("date", "when"), "date"),
    (("session",), "session"),
    (("kind", "advice", "list"), "suits"),
)
"""The reason that is shown for a part of a score, by the beginning of the part's name; other parts have none."""

_OF_THE_QUESTION = ("near_best", "asks")
"""The beginnings of parts that are equal for all statements: these speak for none of them."""


@dataclass(frozen=True, slots=True)
class GivenItem:
    """What a prompt was given.

    Attributes:
        kind: The kind of memory, ``profile`` for a statement of the profile, ``message`` for a part of what was said.
        memory_id: Of the memory; None: it is none.
        text: How it begins now; None: it is there no more.
        standing: Whether it stands in every chat, whatever is asked.
        signals: What spoke for it, the strongest first.
    """

    kind: str
    memory_id: UUID | None
    text: str | None
    standing: bool
    signals: tuple[str, ...]

    @classmethod
    def of(cls, candidate: Mapping[str, Any], contents: Mapping[ItemPart, str]) -> Self:
        """Return what a record says of a candidate."""
        known, content = UUID(candidate["id"]), contents.get((UUID(candidate["id"]), candidate["part"]))
        return cls(
            candidate["kind"],
            None if candidate["kind"] in {"message", Kind.PROFILE} else known,
            None if content is None else preview(content),
            candidate.get("standing", False),
            signals_of(candidate["parts"]),
        )


def signals_of(parts: Mapping[str, float]) -> tuple[str, ...]:
    """Return what spoke for a candidate, by the parts of its score, the strongest first."""
    shares: Counter[str] = Counter()
    for name, share in parts.items():
        if name.startswith(_OF_THE_QUESTION):
            continue
        for beginnings, signal in _SIGNAL_OF:
            if name.startswith(beginnings):
                shares[signal] += share  # type: ignore[assignment]  # a counter adds any numbers
                break
    return tuple(signal for signal, share in shares.most_common(_SIGNALS) if share >= _LEAST_SHARE)


@get("/recalls")
async def show_recalls(visit: Reading, after: FromQuery[str] = "") -> Response[str]:
    """Return the page of the user's last requests: what each was given, and why."""
    page = await visit.engine.recalls(visit.user_id, limit=_RECALLS, after=id_named(after) if after else None)
    return visit.page(
        "recalls.html",
        recalls=[_shown(each, page.contents) for each in page.requests],
        next=page.next,
    )


def _shown(record: RequestRecord, contents: Mapping[ItemPart, str]) -> dict[str, Any]:
    """Return what the page shows of a request: what its prompt was given, and how many were left out, by reason."""
    candidates = record.explanation.get("candidates", ())
    return {
        "record": record,
        "question": None if record.question is None else preview(record.question),
        "given": [GivenItem.of(each, contents) for each in candidates if each["dropped"] is None],
        "left": Counter(each["dropped"] for each in candidates if each["dropped"] is not None),
    }
