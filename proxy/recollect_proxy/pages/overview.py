"""The pages of a user's memory as a whole: changes, chats, export, erasure, admin reads. Never: SQL."""

import asyncio
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import astuple
from datetime import UTC, date, datetime, tzinfo
from functools import partial
from itertools import groupby
from uuid import UUID

from litestar import Response, get, post
from litestar.params import FromQuery
from litestar.response import Stream

from recollect.errors import MessageNotFoundError
from recollect.model import Item, KeptCounts, Scope, Update, project_scope, team_of
from recollect.text.normalization import storable_text
from recollect_proxy.pages.entry import end_session
from recollect_proxy.pages.failures import BAD_INPUT, PageError
from recollect_proxy.pages.memories import id_named, other_id_named
from recollect_proxy.pages.visit import Reading, Transaction, Visit, chats_of
from recollect_proxy.takeout import written_export

_CHANGES = 50
_CHATS = 50
_FOUND = 20
_LONGEST_WORDS = 200
_READS = 100
_MOST_SKIPPED = 100_000
_LEFT = ("memories", "messages", "chats", "held", "changes")


@get("/changes")
async def show_changes(visit: Reading, after: FromQuery[str] = "") -> Response[str]:
    """Return the page of changes to memories, day by day."""
    changes = await visit.engine.changes(
        visit.user_id, limit=_CHANGES + 1, after=id_named(after) if after else None
    )
    shown = changes[:_CHANGES]
    return visit.page(
        "changes.html",
        days=[
            (day, list(of_day)) for day, of_day in groupby(shown, key=partial(_day, visit.shown.words.zone))
        ],
        next=shown[-1].id if len(changes) > _CHANGES else None,
    )


@get("/chats")
async def show_chats(
    visit: Reading, skip: FromQuery[str] = "0", words: FromQuery[str] = "", after: FromQuery[str] = ""
) -> Response[str]:
    """Return the page of remembered chats; with ``words`` that of the messages found in them."""
    sought = storable_text(words[:_LONGEST_WORDS]).strip()
    if sought:
        return await _show_said(visit, sought, id_named(after) if after else None)
    skipped = number_named(skip)
    chats = await visit.engine.chats_of(visit.user_id, limit=_CHATS + 1, skipped=skipped)
    return visit.page(
        "chats.html",
        listed=chats[:_CHATS],
        chats=await chats_of(visit, [each.id for each in chats[:_CHATS]]),
        next=skipped + _CHATS if len(chats) > _CHATS else None,
        words="",
        said={},
    )


async def _show_said(visit: Visit, words: str, after: UUID | None) -> Response[str]:
    """Return the page of found messages by chat, the chat with the best message first."""
    try:
        page = await visit.engine.search_chats(visit.user_id, words, limit=_FOUND, after=after)
    except MessageNotFoundError:
        raise PageError(BAD_INPUT) from None
    said: dict[str, list[Item]] = defaultdict(list)
    for each in page.found:
        said[each.item.session_id or ""].append(each.item)
    chats = await chats_of(visit, said)
    return visit.page("chats.html", chats=chats, listed=[], next=page.next, words=words, said=said)


@post("/chats")
async def erase_chat(change: Transaction) -> Response[str]:
    """Erase a chat, and the memories that came from it alone."""
    session_id = other_id_named(change.form.get("chat", ""))
    if change.form.get("sure") != "yes":
        raise PageError(BAD_INPUT)
    await change.visit.engine.erase_session(Scope(change.visit.user_id, session_id))
    return change.visit.back("/chats", done="chat_erased")


@get("/data")
async def show_data(visit: Reading) -> Response[str]:
    """Return the page of counts of stored data, with export and erasure."""
    kept = await _kept(visit, await visit.engine.scopes_of(visit.person))
    return visit.page("data.html", kept=kept, wrong=False, left=await _teams_left(visit))


async def _teams_left(visit: Visit) -> list[str]:
    """Return the names of projects that are parts of teams which the person has left."""
    person, shown = visit.person, {each.name for each in visit.shown.projects}
    known = await visit.engine.projects(person, measured=False)
    return [
        each.name for each in known if each.name not in shown and team_of(project_scope(person, each.name))
    ]


@post("/erase")
async def erase_everything(change: Transaction) -> Response[str]:
    """Erase all data of the user, count again, and show both."""
    visit = change.visit
    scopes = await visit.engine.scopes_of(visit.person)
    if change.form.get("typed", "").strip().casefold() != visit.shown.words("erase.word").casefold():
        return visit.page(
            "data.html", kept=await _kept(visit, scopes), wrong=True, left=await _teams_left(visit)
        )
    erasure = await visit.engine.erase(visit.person)
    left = await _kept(visit, scopes)
    response = visit.page(
        "erased.html",
        rows=[row for row in erasure.rows if row[1]],
        left={name: getattr(left, name) for name in _LEFT},
    )
    if not visit.session.principal.is_administrator:
        end_session(response, visit.request, visit.parts)
    return response


@get("/reads")
async def show_reads(visit: Reading) -> Response[str]:
    """Return the page of reads by administrators, and of changes of the user's settings."""
    reads, changes = await asyncio.gather(
        visit.engine.admin_reads(visit.person, limit=_READS),
        visit.engine.settings_changes(visit.person, limit=_READS),
    )
    return visit.page("reads.html", reads=reads, changes=changes)


@get("/export")
async def show_export(visit: Reading) -> Stream:
    """Return the file that `docs/reference/export.md` describes."""
    pieces = await written_export(visit.engine, visit.person, at=datetime.now(UTC))
    return Stream(
        pieces,
        media_type="application/json",
        headers={"content-disposition": 'attachment; filename="recollect-export.json"'},
    )


def number_named(text: str) -> int:
    """Return how many are skipped, or raise PageError."""
    is_number = text.isascii() and text.isdecimal() and len(text) <= len(str(_MOST_SKIPPED))
    if not is_number or int(text) > _MOST_SKIPPED:
        raise PageError(BAD_INPUT)
    return int(text)


def _day(zone: tzinfo, update: Update) -> date:
    return update.at.astimezone(zone).date()


async def _kept(visit: Visit, scopes: Sequence[str]) -> KeptCounts:
    """Count a person's data, under their own id and those of their projects."""
    counts = [astuple(await visit.engine.count_kept(each)) for each in scopes]
    return KeptCounts(*map(sum, zip(*counts, strict=True)))
