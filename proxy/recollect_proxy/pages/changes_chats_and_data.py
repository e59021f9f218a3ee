"""The pages of a memory as a whole: changes, chats, export, erasure, admin reads; and of its projects and teams."""

import asyncio
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import astuple
from datetime import UTC, date, datetime, tzinfo
from functools import partial
from itertools import groupby
from urllib.parse import quote
from uuid import UUID

from litestar import Response, get, post
from litestar.params import FromQuery
from litestar.response import Stream

from recollect.errors import MessageNotFoundError
from recollect.model import (
    LONGEST_TITLE,
    Item,
    KeptCounts,
    Scope,
    TeamRole,
    Update,
    project_name,
    project_scope,
    team_of,
)
from recollect.text.normalization import storable_text
from recollect_proxy.access.page_sessions import SESSION_LIFETIME
from recollect_proxy.identity.caller import opaque_id
from recollect_proxy.pages.failures import BAD_INPUT, PageError
from recollect_proxy.pages.page_request import (
    PROJECT_COOKIE,
    Asked,
    Parts,
    Reading,
    SentForm,
    Transaction,
    Visit,
    chats_of,
    fields_of,
)
from recollect_proxy.pages.sign_in import cookie_of, end_session, redirect_back
from recollect_proxy.pages.single_memory import id_named, id_of, last_change, other_id_named
from recollect_proxy.takeout.export_file import written_export

_CHANGES = 50
_CHATS = 50
_FOUND = 20
_LONGEST_WORDS = 200
_READS = 100
_MOST_SKIPPED = 100_000
_OF_WORDS = ("lexical", "matched")
"""The parts of a score that words of the search give."""
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
    )


async def _show_said(visit: Visit, words: str, after: UUID | None) -> Response[str]:
    """Return the page of found messages by chat, the chat with the best message first; behind them those that are near in meaning alone."""
    try:
        page = await visit.engine.search_chats(visit.user_id, words, limit=_FOUND, after=after)
    except MessageNotFoundError:
        raise PageError(BAD_INPUT) from None
    said, near = defaultdict[str, list[Item]](list), defaultdict[str, list[Item]](list)
    for each in page.found:
        has_words = any(name in _OF_WORDS and share > 0 for name, share in each.parts)
        (said if has_words else near)[each.item.session_id or ""].append(each.item)
    chats = await chats_of(visit, [*said, *near])
    return visit.page(
        "chats.html",
        chats=chats,
        listed=[],
        next=page.next,
        words=words,
        said=said,
        near=near,
        later=after is not None,
    )


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
    return visit.page("data.html", kept=kept, left=await _teams_left(visit))


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
    if not _is_typed(change):
        return visit.back("/data", done="nothing_erased")
    scopes = await visit.engine.scopes_of(visit.person)
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


def _is_typed(change: SentForm) -> bool:
    """Whether a form has the word that erases."""
    word = change.visit.shown.words("erase.word")
    return change.form.get("typed", "").strip().casefold() == word.casefold()


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


@post("/project")
async def choose_project(request: Asked, parts: Parts) -> Response[str]:
    """Keep whose memory is shown, the person's own or that of a project, and lead back. A name of no project of theirs shows their own."""
    parts.require_own_site(request)
    fields = await fields_of(request)
    name, response = project_name(fields.get("name")) or "", redirect_back(fields)
    response.set_cookie(cookie_of(parts, request, PROJECT_COOKIE, quote(name, safe=""), SESSION_LIFETIME))
    return response


@post("/project/change")
async def change_project(change: Transaction) -> Response[str]:
    """Change how the shown project is called, and whether its chats recall its memories alone."""
    visit, title = change.visit, change.form.get("title", "").strip()
    if not visit.project or len(title) > LONGEST_TITLE:
        raise PageError(BAD_INPUT)
    alone = change.form.get("alone") == "yes"
    await visit.engine.change_project(visit.person, visit.project, title=title, alone=alone)
    return visit.back("", done="project_changed")


@post("/project/erase")
async def erase_project(change: Transaction) -> Response[str]:
    """Erase the shown project, if the word for it was typed."""
    visit = change.visit
    if not visit.project:
        raise PageError(BAD_INPUT)
    if not _is_typed(change):
        return visit.back("", done="nothing_erased")
    await visit.engine.erase(visit.user_id)
    return visit.back("", done="project_erased")


@post("/move")
async def move_memory(change: Transaction) -> Response[str]:
    """Move a memory to a project or out of one, and offer to undo that."""
    visit, memory_id, target = change.visit, id_of(change), change.form.get("to", "")
    name = project_name(target) if target else ""
    if name is None:
        raise PageError(BAD_INPUT)
    await visit.engine.move(visit.user_id, memory_id, name, actor=visit.actor)
    return change.answer("moved", "", undo=await last_change(change, memory_id))


@post("/team/member")
async def set_member(change: Transaction) -> Response[str]:
    """Add a user to the shown team, or change their role or name; for its owners and for administrators."""
    visit, form = change.visit, change.form
    person, name = opaque_id(form.get("person", "").strip()), form.get("name", "").strip()
    role = form.get("role", "")
    if person is None or len(name) > LONGEST_TITLE or role not in set(TeamRole):
        raise PageError(BAD_INPUT)
    team = await visit.engine.team(_shown(visit), _asking(visit), owns=True)
    await visit.engine.set_member(team.id, person, TeamRole(role), name or None)
    return visit.back("", done="team_changed")


@post("/team/leave")
async def leave_team(change: Transaction) -> Response[str]:
    """Take the person whose memory is shown out of the shown team."""
    visit = change.visit
    team = await visit.engine.team(_shown(visit), visit.person)
    await visit.engine.leave_team(team.id, visit.person)
    return visit.back("", done="team_changed")


def _shown(visit: Visit) -> str:
    return team_of(project_scope(visit.person, visit.project))


def _asking(visit: Visit) -> str | None:
    """Return by whose role the team is changed; None for an administrator."""
    return None if visit.session.principal.is_administrator else visit.person
