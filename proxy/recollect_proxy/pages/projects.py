"""The choice of the project whose memory the pages show, its settings, moving memories, and the members of a team. Never: SQL."""

from urllib.parse import quote

from litestar import Response, post

from recollect.model import LONGEST_TITLE, TeamRole, project_name, project_scope, team_of
from recollect_proxy.access import SESSION_LIFETIME
from recollect_proxy.identity import opaque_id
from recollect_proxy.pages.entry import cookie_of, redirect_back
from recollect_proxy.pages.failures import BAD_INPUT, PageError
from recollect_proxy.pages.memories import id_of, last_change
from recollect_proxy.pages.visit import PROJECT_COOKIE, Asked, Parts, Transaction, Visit, fields_of


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
