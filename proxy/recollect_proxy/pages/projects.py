"""The choice of the project whose memory the pages show, its settings, and moving memories. Never: SQL."""

from urllib.parse import quote

from litestar import Response, post

from recollect.model import LONGEST_TITLE, project_name
from recollect_proxy.access import SESSION_LIFETIME
from recollect_proxy.pages.entry import cookie_of, redirect_back
from recollect_proxy.pages.failures import BAD_INPUT, PageError
from recollect_proxy.pages.memories import id_of, last_change
from recollect_proxy.pages.visit import PROJECT_COOKIE, Asked, Parts, Transaction, fields_of


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
    if change.form.get("typed", "").strip().casefold() != visit.shown.words("erase.word").casefold():
        raise PageError(BAD_INPUT)
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
