"""The page on which an administrator tries a recall or an extraction for a user."""

from typing import Any
from uuid import uuid4

from litestar import Response, get, post
from litestar.params import FromQuery

from recollect.engine import system_clock
from recollect.engine.turns.explain import InspectedCandidate, Inspection
from recollect.errors import (
    BudgetSpentError,
    CredentialGoneError,
    ExtractorError,
    ExtractorPausedError,
    ExtractorTimeoutError,
    ExtractorUnusableError,
    InvalidExtractionError,
)
from recollect.model import Message, Role, Scope, Turn
from recollect.text.normalization import storable_text
from recollect_proxy.chat.recall_headers import preview
from recollect_proxy.pages.failures import BAD_INPUT, PageError
from recollect_proxy.pages.page_request import Reading, Transaction, Visit, require_administrator
from recollect_proxy.pages.recalls import memory_of, signals_of

_LONGEST_QUESTION = 2000
_LONGEST_CONVERSATION, _MOST_MESSAGES, _LONGEST_MODEL = 8000, 20, 256
_SPEAKERS = {"user:": Role.USER, "assistant:": Role.ASSISTANT}
"""The beginnings of lines that open a message; a text without any is one message of the user."""
_MODEL_FAILURES = (
    (InvalidExtractionError, "unreadable"),
    (ExtractorTimeoutError, "late"),
    (ExtractorPausedError, "paused"),
    (BudgetSpentError, "budget"),
    (CredentialGoneError, "key"),
    (ExtractorUnusableError, "unusable"),
    (ExtractorError, "failed"),
)
"""The names of the words for errors of the model; the first match counts."""
_KEPT = ("add", "replace", "quarantine")
_LEFT_OUT = 25
"""The most candidates that are shown with the reason why they were left out."""


@get("/playground")
async def show_playground(visit: Reading, question: FromQuery[str] = "") -> Response[str]:
    """Return the page with the memories that a chat of the user's would get for a question, and why."""
    require_administrator(visit)
    asked = storable_text(question[:_LONGEST_QUESTION]).strip()
    if not asked:
        return _page(visit)
    turn = Turn(Scope(visit.user_id, str(uuid4())), asked, str(uuid4()), system_clock(), "")
    found: Inspection = await visit.engine.inspect(turn)
    items = [_tried(each) for each in found.candidates]
    return _page(
        visit,
        question=asked,
        found=found,
        given=[each for each in items if each["dropped"] is None],
        left=[each for each in items if each["dropped"] is not None][:_LEFT_OUT],
    )


@post("/playground")
async def try_extraction(change: Transaction) -> Response[str]:
    """Show the statements that the model would keep of the user's conversation, and reasons against others."""
    visit, form = change.visit, change.form
    require_administrator(visit)
    said, model = storable_text(form.get("conversation", "")).strip(), form.get("model", "").strip()
    conversation = conversation_of(said)
    is_bounded = len(said) <= _LONGEST_CONVERSATION and len(model) <= _LONGEST_MODEL
    is_bounded = is_bounded and len(conversation) <= _MOST_MESSAGES
    if not (is_bounded and any(each.role is Role.USER for each in conversation)):
        raise PageError(BAD_INPUT)
    reader = visit.session.principal.name
    await visit.engine.note_admin_read(visit.user_id, reader=reader, operation="page: extraction")
    given = {"conversation": said, "model": model}
    try:
        trial = await visit.engine.try_formation(visit.user_id, conversation, model=model)
    except ExtractorError as error:
        name = next(name for kind, name in _MODEL_FAILURES if isinstance(error, kind))
        return _page(visit, **given, failure=name)
    kept = [each for each in trial.decisions if each.action in _KEPT]
    other = [each for each in trial.decisions if each.action not in _KEPT and each.action != "ignore"]
    refused = [each for each in trial.decisions if each.action == "ignore"]
    return _page(visit, **given, trial=trial, decided={"kept": kept, "changed": other, "refused": refused})


def conversation_of(text: str) -> list[Message]:
    """Return the messages of a pasted conversation, by the lines that begin with a speaker."""
    messages: list[tuple[Role, list[str]]] = []
    for line in text.splitlines():
        speaker, colon, words = line.partition(":")
        role = _SPEAKERS.get(f"{speaker.strip().casefold()}{colon}")
        if role is not None:
            messages.append((role, [words]))
        elif messages:
            messages[-1][1].append(line)
        else:
            messages.append((Role.USER, [line]))
    texts = [(role, "\n".join(lines).strip()) for role, lines in messages]
    return [Message(role, said) for role, said in texts if said]


def _page(visit: Visit, **values: Any) -> Response[str]:
    plain: dict[str, Any] = {
        "question": "",
        "found": None,
        "given": [],
        "left": [],
        "conversation": "",
        "model": "",
        "failure": None,
        "trial": None,
        "decided": {},
        "longest": _LONGEST_CONVERSATION,
    }
    return visit.page("playground.html", **plain | values)


def _tried(candidate: InspectedCandidate) -> dict[str, Any]:
    """Return the values of something found for a question; its ``score`` is 0 if every chat gets it."""
    outcome = candidate.told
    return {
        "text": preview(candidate.content),
        "memory_id": memory_of(outcome),
        "standing": outcome.get("standing", False),
        "signals": signals_of(outcome["parts"]),
        "score": float(outcome["score"]),
        "dropped": outcome["dropped"],
    }
