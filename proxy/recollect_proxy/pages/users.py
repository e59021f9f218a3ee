"""The page of all users, from which an administrator opens the memory of one."""

from litestar import Response, get, post
from litestar.params import FromQuery

from recollect.text.normalization import storable_text
from recollect_proxy.pages.changes_chats_and_data import number_named
from recollect_proxy.pages.page_request import InVisit, Transaction, require_administrator
from recollect_proxy.pages.sign_in import set_session
from recollect_proxy.pages.single_memory import other_id_named

_USERS = 50
_LONGEST_ID = 256


@get("/users")
async def show_users(
    entered: InVisit, words: FromQuery[str] = "", skip: FromQuery[str] = "0"
) -> Response[str]:
    """Return the page of users, by a part of their id, with counts and without contents."""
    require_administrator(entered)
    skipped = number_named(skip)
    users = await entered.engine.users(storable_text(words[:_LONGEST_ID]), limit=_USERS + 1, skipped=skipped)
    return entered.page(
        "users.html",
        users=users[:_USERS],
        words=words[:_LONGEST_ID],
        next=skipped + _USERS if len(users) > _USERS else None,
    )


@post("/look", opt={"reads": True})
async def look_at(change: Transaction) -> Response[str]:
    """Open a user's memory: a session of its own, so that a page of another user's left open can change nothing here."""
    visit = change.visit
    require_administrator(visit)
    user_id = other_id_named(change.form.get("user", ""))
    sessions = visit.parts.authentication.page_sessions
    session = sessions.new(visit.session.principal, looks_at=user_id, ends=visit.session.ends)
    response = visit.back("")
    set_session(response, visit.request, visit.parts, session)
    return response
