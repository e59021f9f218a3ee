"""The page that lists memories: searched by words and by meaning, added to by hand."""

import asyncio
from collections.abc import Sequence
from typing import NamedTuple
from uuid import UUID

from litestar import Response, get, post
from litestar.params import FromPath, FromQuery

from recollect.api.fields import LONGEST_CONTENT
from recollect.errors import EmbedderError
from recollect.model import SHOWN, STATEMENTS, Kind, Memory, MemoryFilter, Stage, Use, tags_named
from recollect.text.normalization import storable_text
from recollect_proxy.pages.failures import BAD_INPUT, PageError
from recollect_proxy.pages.page_request import Reading, Transaction, Visit, chats_of
from recollect_proxy.pages.single_memory import (
    content_of,
    id_named,
    id_of,
    last_change,
    other_id_named,
    tags_of,
)

PER_PAGE = 50
_MOST_WORDS = 8
_LONGEST_WORDS = 200
_NEAR = 8
"""The most memories that are shown for their meaning alone."""
_TO_REVIEW = 99


class _Found(NamedTuple):
    """The memories on a page: those with all words, the one that was said last first, and those near in meaning."""

    memories: Sequence[Memory]
    next: UUID | None
    near: Sequence[Memory] = ()
    by_words_alone: bool = False
    """Whether the embedding model did not answer."""


@get("/")
async def show_memories(
    visit: Reading,
    words: FromQuery[str] = "",
    kind: FromQuery[str] = "",
    chat: FromQuery[str] = "",
    after: FromQuery[str] = "",
    picked: FromQuery[str] = "",
    tag: FromQuery[str] = "",
) -> Response[str]:
    """Return the page of memories, with banners for the person; ``picked=all`` ticks each listed memory."""
    taken = MemoryFilter(
        kinds=frozenset({Kind(kind)}) if kind in {each.value for each in Kind} else SHOWN,
        session_id=other_id_named(chat) if chat else None,
        words=tuple(storable_text(words[:_LONGEST_WORDS]).split()[:_MOST_WORDS]),
        tags=tags_named([storable_text(tag[:_LONGEST_WORDS])]),
    )
    found, to_review, unsettled = await asyncio.gather(
        _find(visit, taken, after),
        _to_review(visit),
        visit.engine.count_unsettled(visit.user_id),
    )
    return visit.page(
        "memories.html",
        found=found,
        kinds=[each for each in Kind if each in SHOWN],
        chats=await chats_of(
            visit,
            [taken.session_id, *(each.provenance.session_id for each in [*found.memories, *found.near])],
        ),
        to_review=to_review,
        unsettled=unsettled,
        words=words[:_LONGEST_WORDS],
        kind=None if taken.kinds is SHOWN else next(iter(taken.kinds)),
        chat=taken.session_id,
        tag="".join(taken.tags),
        all_picked=picked == "all",
        longest=LONGEST_CONTENT,
        written=[kind for kind in Kind if kind in STATEMENTS],
    )


async def _to_review(visit: Visit) -> int:
    """Count the memories to ask about; not for a part of the page, which does not show them."""
    return 0 if visit.is_piece else len(await visit.engine.to_review(visit.user_id, limit=_TO_REVIEW))


async def _find(visit: Visit, taken: MemoryFilter, after: str) -> _Found:
    last = id_named(after) if after else None
    page = visit.engine.said_last(visit.user_id, limit=PER_PAGE, after=last, taken=taken)
    if not taken.words or taken.session_id or last:
        found = await page
        return _Found(found.memories, found.next)
    found, near = await asyncio.gather(page, _near(visit, taken))
    if near is None:
        return _Found(found.memories, found.next, by_words_alone=True)
    listed = {each.id for each in found.memories}
    others = [each for each in near if each.id not in listed and not taken.takes(each)]
    return _Found(found.memories, found.next, others[:_NEAR])


async def _near(visit: Visit, taken: MemoryFilter) -> list[Memory] | None:
    """Return the memories nearest in meaning; None if the embedding model did not answer in time."""
    try:
        async with asyncio.timeout(visit.parts.meaning_seconds):
            found = await visit.engine.search(
                visit.user_id,
                " ".join(taken.words),
                limit=PER_PAGE,
                taken=MemoryFilter(taken.kinds, tags=taken.tags),
            )
    except (EmbedderError, TimeoutError):
        return None
    return None if Stage.EMBEDDING in found.degraded else [memory for memory, *_ in found.memories]


@post("/add")
async def add_memory(change: Transaction) -> Response[str]:
    """Write a memory by hand, and offer to undo that."""
    visit, kind = change.visit, change.form.get("kind", Kind.FACT)
    if kind not in STATEMENTS:
        raise PageError(BAD_INPUT)
    added = await visit.engine.add(
        visit.user_id, content_of(change), kind=Kind(kind), tags=tags_of(change), actor=visit.actor
    )
    undo = await last_change(change, added.id)
    # in the list as a whole: its kind is nothing that was searched for
    return change.answer("added", "/", undo=undo)


@post("/use/{use:str}")
async def set_use(change: Transaction, use: FromPath[str]) -> Response[str]:
    """Say when a memory is recalled: in every chat, when it fits, or only if asked."""
    if use not in {*Use}:
        raise PageError(BAD_INPUT)
    visit, memory_id = change.visit, id_of(change)
    await visit.engine.revise(visit.user_id, memory_id, use=Use(use), actor=visit.actor)
    return change.answer(f"use_{use}", "", undo=await last_change(change, memory_id))
