"""The administrators' page to try a recall for the user whose memory they opened. Nothing is written but that they read. Never: SQL."""

from dataclasses import dataclass
from uuid import UUID, uuid4

from litestar import Response, get
from litestar.params import FromQuery

from recollect.engine import system_clock
from recollect.engine.turns.inspection import InspectedCandidate, Inspection
from recollect.model import Kind, Scope, Turn
from recollect.text.normalization import storable_text
from recollect_proxy.chat.recall_report import preview
from recollect_proxy.pages.recalls import signals_of
from recollect_proxy.pages.visit import Reading, require_administrator

_LONGEST_QUESTION = 2000
_LEFT_OUT = 25
"""The most candidates that are shown with the reason why they were left out."""


@dataclass(frozen=True, slots=True)
class TriedItem:
    """Something found for the question.

    Attributes:
        text: Its beginning.
        memory_id: The memory's id; None: it is no memory.
        standing: Whether every chat gets it.
        signals: The reasons for it, the strongest first.
        score: The score that ranked it; 0: every chat gets it, and this question did not find it.
        dropped: Why it is left out; None: it would go into the prompt.
    """

    text: str
    memory_id: UUID | None
    standing: bool
    signals: tuple[str, ...]
    score: float
    dropped: str | None


@get("/playground")
async def show_playground(visit: Reading, question: FromQuery[str] = "") -> Response[str]:
    """Return the page with what a chat of the user's would be given for a question, and why."""
    require_administrator(visit)
    asked = storable_text(question[:_LONGEST_QUESTION]).strip()
    if not asked:
        return visit.page("playground.html", question="", found=None, given=[], left=[])
    turn = Turn(Scope(visit.user_id, str(uuid4())), asked, str(uuid4()), system_clock(), "")
    found: Inspection = await visit.engine.inspect(turn)
    items = [_tried(each) for each in found.candidates]
    return visit.page(
        "playground.html",
        question=asked,
        found=found,
        given=[each for each in items if each.dropped is None],
        left=[each for each in items if each.dropped is not None][:_LEFT_OUT],
    )


def _tried(candidate: InspectedCandidate) -> TriedItem:
    told = candidate.told
    return TriedItem(
        preview(candidate.content),
        None if told["kind"] in {"message", Kind.PROFILE} else UUID(str(told["id"])),
        told.get("standing", False),
        signals_of(told["parts"]),
        float(told["score"]),
        told["dropped"],
    )
