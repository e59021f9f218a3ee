"""The page of what chats were given of a user's memory, when and why; or why nothing. Never: SQL."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
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


@dataclass(frozen=True, slots=True)
class ShownRecall:
    """What one request was given, or why nothing.

    Attributes:
        id: The request's.
        at: When.
        session_id: In which chat.
        question: How what was asked begins; None: it is not told.
        skipped: Why nothing was recalled; None where something was looked for.
        given: What the prompt was given for this turn.
        left: How many were found and left out, by reason.
        tokens: What all memories in the prompt take.
        milliseconds: How long recall took.
    """

    id: UUID
    at: datetime
    session_id: str
    question: str | None
    skipped: str | None
    given: Sequence[GivenItem]
    left: Mapping[str, int]
    tokens: int
    milliseconds: float

    @classmethod
    def of(cls, record: RequestRecord, contents: Mapping[ItemPart, str]) -> Self:
        """Return what is shown of ``record``."""
        candidates = record.explanation.get("candidates", ())
        return cls(
            record.id,
            record.at,
            record.scope.session_id,
            None if record.question is None else preview(record.question),
            record.skipped,
            [GivenItem.of(each, contents) for each in candidates if each["dropped"] is None],
            Counter(each["dropped"] for each in candidates if each["dropped"] is not None),
            record.tokens,
            record.milliseconds,
        )


@get("/recalls")
async def show_recalls(visit: Reading, after: FromQuery[str] = "") -> Response[str]:
    """Return the page of the user's last requests: what each was given, and why."""
    page = await visit.engine.recalls(visit.user_id, limit=_RECALLS, after=id_named(after) if after else None)
    return visit.page(
        "recalls.html",
        recalls=[ShownRecall.of(each, page.contents) for each in page.requests],
        next=page.next,
    )
