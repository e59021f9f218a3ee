"""`recollect chats`: which are remembered, and erasing one. Never: SQL."""

from typing import TYPE_CHECKING, Annotated

import typer

from recollect.model import Scope, person_of
from recollect_proxy.store_commands.printing import Output, Table
from recollect_proxy.store_commands.running_commands import User, Yes, confirm, fail, over_store, whole_chat
from recollect_proxy.store_commands.upkeep_commands import erasure_output

if TYPE_CHECKING:
    from recollect.engine import Engine

_ALL = 1_000_000

chats_app = typer.Typer(
    help="See which chats of a user are remembered, and erase one.",
    no_args_is_help=True,
    add_completion=False,
)


@chats_app.command("list")
@over_store(in_projects=True)
async def list_chats(engine: "Engine", user: User) -> Output:
    """List a user's chats by their first words; the one where something was said last first."""
    chats = await engine.chats_of(user, limit=_ALL)
    words = await engine.first_words(user, [each.id for each in chats])
    rows = [(each.id, each.last_at, words.get(each.id, "")) for each in chats]
    return Output({"chats": [each.id for each in chats]}, Table(("chat", "last said", "begins with"), rows))


@chats_app.command("erase")
@over_store(in_projects=True)
async def erase_chat(
    engine: "Engine",
    user: User,
    chat: Annotated[
        str, typer.Argument(help="The chat's id, or its beginning, as `list` shows it.", metavar="CHAT")
    ],
    *,
    yes: Yes = False,
) -> Output:
    """Erase a chat and the memories that came from it alone; print how many rows are gone. It asks first, unless --yes is given.

    Fails where the user has no such chat.
    """
    known = await engine.sessions(user)
    whole = whole_chat(chat, known)
    if whole not in known:
        fail("The user has no such chat.")
    question = f"Erase the chat {whole!r} of {person_of(user)!r}? It can't be undone."
    confirm(question, yes=yes, otherwise="Nothing was erased.")
    return erasure_output(await engine.erase_session(Scope(user, whole)))
