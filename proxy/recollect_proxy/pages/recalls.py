"""The page of memories given to chats, with the reasons; or the reason why a chat got none."""

from collections import Counter
from collections.abc import Collection, Mapping
from typing import Any
from uuid import UUID

from litestar import Response, get, post
from litestar.params import FromQuery

from recollect.model import ItemPart, Kind, RecallPage, RequestRecord
from recollect_proxy.chat.recall_headers import preview
from recollect_proxy.pages.failures import NOT_FOUND, PageError
from recollect_proxy.pages.page_request import Reading, Transaction, chats_of
from recollect_proxy.pages.single_memory import id_named, id_of

_RECALLS = 20
_SIGNALS = 3
_LEAST_SHARE = 0.02
_SIGNAL_OF = (
    (("dense", "near", "first", "rank"), "meaning"),
    (("lexical", "matched", "letters"), "words"),
    (("shares_name",), "name"),
    (("importance", "vital"), "importance"),
    (("role", "speaker"), "person"),
    (("date", "when"), "date"),
    (("session",), "session"),
    (("earlier_chat",), "chat"),
    (("kind", "advice", "list"), "suits"),
)
"""The reason that is shown for a part of a score, by the beginning of the part's name; other parts have none."""

_OF_THE_QUESTION = ("near_best", "asks")
"""The beginnings of parts that are equal for all statements, and so are reasons for none."""


def signals_of(parts: Mapping[str, float]) -> tuple[str, ...]:
    """Return the reasons for a candidate, by the parts of its score, the strongest first."""
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
async def show_recalls(
    visit: Reading, after: FromQuery[str] = "", opened: FromQuery[str] = ""
) -> Response[str]:
    """Return the page of the user's last requests, with the items that each was given; the one ``opened``, else the first, is open."""
    page = await visit.engine.recalls(visit.user_id, limit=_RECALLS, after=id_named(after) if after else None)
    return visit.page(
        "recalls.html",
        recalls=[_recall_values(each, page) for each in page.requests],
        chats=await chats_of(visit, [each.scope.session_id for each in page.requests]),
        next=page.next,
        after=after,
        opened=opened,
    )


@post("/not-helpful")
async def call_not_helpful(change: Transaction) -> Response[str]:
    """Note that a recalled memory was not helpful for its question, or take that back."""
    visit, memory_id = change.visit, id_of(change)
    request_id = id_named(change.form.get("request", ""))
    if change.form.get("back") == "yes":
        await visit.engine.take_back_not_helpful(visit.user_id, request_id, memory_id)
        done = "helpful"
    else:
        record = await visit.engine.request_of(visit.user_id, request_id)
        if record is None:
            raise PageError(NOT_FOUND)
        await visit.engine.call_not_helpful(record, memory_id)
        done = "not_helpful"
    if change.form.get("from") == "memory":
        return visit.back("/memory", id=str(memory_id), done=done)
    place = {"after": after} if (after := change.form.get("after")) else {}
    return visit.back("/recalls", **place, opened=str(request_id), done=done)


def _recall_values(record: RequestRecord, page: RecallPage) -> dict[str, Any]:
    """Return the values of a request for the page: the items in its prompt, and the number left out by reason."""
    candidates = record.explanation.get("candidates", ())
    not_helpful = {memory for request, memory in page.not_helpful if request == record.id}
    return {
        "record": record,
        "question": None if record.question is None else preview(record.question),
        "given": [_given(each, page.contents, not_helpful) for each in candidates if each["dropped"] is None],
        "left": Counter(each["dropped"] for each in candidates if each["dropped"] is not None),
    }


def _given(
    candidate: Mapping[str, Any], contents: Mapping[ItemPart, str], not_helpful: Collection[UUID]
) -> dict[str, Any]:
    """Return the values of an item in a prompt: its beginning, if it is there still, and the reasons for it."""
    known = UUID(candidate["id"])
    content = contents.get((known, candidate["part"]))
    return {
        "kind": candidate["kind"],
        "memory_id": memory_of(candidate),
        "text": None if content is None else preview(content),
        "standing": candidate.get("standing", False),
        "signals": signals_of(candidate["parts"]),
        "not_helpful": known in not_helpful,
    }


def memory_of(candidate: Mapping[str, Any]) -> UUID | None:
    """Return the memory that a candidate is; None if it is a message, or an entry of the profile."""
    return None if candidate["kind"] in {"message", Kind.PROFILE} else UUID(str(candidate["id"]))
