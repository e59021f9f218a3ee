"""Changes the members of the team whose memory the pages show. Never: SQL."""

from litestar import Response, post

from recollect.model import LONGEST_TITLE, TeamRole, project_scope, team_of
from recollect_proxy.identity import opaque_id
from recollect_proxy.pages.failures import BAD_INPUT, PageError
from recollect_proxy.pages.visit import Transaction, Visit


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
