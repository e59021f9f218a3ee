"""A user's last recalls: what their requests were given, or why nothing. The endpoint and its JSON."""

from collections.abc import Mapping
from datetime import datetime
from typing import Annotated, Any, Self
from uuid import UUID

from litestar import get
from litestar.params import QueryParameter
from msgspec import Meta, Struct

from recollect import model
from recollect.model import ItemPart, RequestRecord
from recollect_proxy.memory_api.errors import documented
from recollect_proxy.memory_api.parameters import ALWAYS, Limit, OpenEngine, UserId, user_named
from recollect_proxy.recall_report import preview

AfterRequest = Annotated[
    UUID | None, QueryParameter(description="The `next` of the page before; none for the first page.")
]


class GivenItem(Struct):
    """What went into a prompt."""

    id: Annotated[UUID, Meta(description="Of the memory, or of the message in the log.")]
    kind: Annotated[str, Meta(description="The memory's kind, or `message`.")]
    source: Annotated[str, Meta(description="How the memory came to be, or `log`.")]
    part: Annotated[int | None, Meta(description="Which part of the message; null for a memory.")]
    score: Annotated[float, Meta(description="What it was ranked by; 0 of what stands in every chat.")]
    standing: Annotated[bool, Meta(description="Whether it stands in every chat, whatever is asked.")]
    preview: Annotated[
        str | None,
        Meta(description="How it begins now, 160 characters at most; null where it is there no more."),
    ]

    @classmethod
    def of(cls, candidate: Mapping[str, Any], contents: Mapping[ItemPart, str]) -> Self:
        """Return the JSON of a candidate of the record."""
        content = contents.get((UUID(candidate["id"]), candidate["part"]))
        return cls(
            UUID(candidate["id"]),
            candidate["kind"],
            candidate["source"],
            candidate["part"],
            candidate["score"],
            candidate.get("standing", False),
            None if content is None else preview(content),
        )


class PastRecall(Struct):
    """What one request was given, or why nothing."""

    request_id: Annotated[UUID, Meta(description="`explain` tells more about it.")]
    at: Annotated[datetime, Meta(tz=True)]
    session_id: Annotated[str, Meta(description="In which chat.")]
    question: Annotated[
        str | None,
        Meta(
            description="How what was asked begins, 160 characters at most, secrets masked; null as in `explain`."
        ),
    ]
    skipped: Annotated[str | None, Meta(description="Why nothing was recalled; null where something was.")]
    milliseconds: Annotated[float, Meta(description="How long recall took.")]
    tokens: Annotated[int, Meta(description="What all memories in the prompt take.")]
    given: Annotated[list[GivenItem], Meta(description="What the prompt was given for this turn.")]

    @classmethod
    def of(cls, record: RequestRecord, contents: Mapping[ItemPart, str]) -> Self:
        """Return the JSON of ``record``."""
        return cls(
            record.id,
            record.at,
            record.scope.session_id,
            None if record.question is None else preview(record.question),
            record.skipped,
            round(record.milliseconds, 2),
            record.tokens,
            [
                GivenItem.of(each, contents)
                for each in record.explanation.get("candidates", ())
                if each["dropped"] is None
            ],
        )


class RecallsPage(Struct):
    """One page of a user's recalls, newest first."""

    recalls: list[PastRecall]
    next: Annotated[
        UUID | None, Meta(description="Send it as `after` for the following page; null on the last.")
    ]

    @classmethod
    def of(cls, page: model.RecallPage) -> Self:
        """Return the JSON of ``page``."""
        return cls([PastRecall.of(each, page.contents) for each in page.requests], page.next)


@get(
    "/users/{user_id:str}/recalls",
    summary="List a user's last recalls",
    response_description="The page.",
    tags=["Requests"],
    responses=documented(*ALWAYS),
)
async def list_recalls(
    engine: OpenEngine, user_id: UserId, limit: Limit = 50, after: AfterRequest = None
) -> RecallsPage:
    """Return what the user's requests were given, or why nothing, newest first. Kept for 30 days."""
    return RecallsPage.of(await engine.recalls(user_named(user_id), limit=limit, after=after))
