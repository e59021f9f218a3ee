"""`recollect chats`: which chats of a user are remembered, and erasing one. Never: SQL."""

from typing import TYPE_CHECKING, Annotated

import typer

from recollect.model import Scope
from recollect_proxy.store_commands.printing import Output, on_a_terminal
from recollect_proxy.store_commands.running_commands import User, Yes, confirm, fail, over_store
from recollect_proxy.store_commands.upkeep_commands import erasure_output

if TYPE_CHECKING:
    from recollect.engine import Engine

chats_app = typer.Typer(
    help="See which chats of a user are remembered, and erase one.",
    no_args_is_help=True,
    add_completion=False,
)


@chats_app.command("list")
@over_store()
async def list_chats(engine: "Engine", user: User) -> Output:
    """List the ids of a user's chats; the one where something was said last first."""
    found = await engine.sessions(user)
    return Output({"chats": found}, [on_a_terminal(each) for each in found])


def _ask_to_erase(user: str, chat: str, *, yes: Yes = False) -> None:
    question = f"Erase the chat {chat!r} of {user!r}? It can't be undone."
    confirm(question, yes=yes, otherwise="Nothing was erased.")


@chats_app.command()
@over_store(before=_ask_to_erase)
async def erase(
    engine: "Engine",
    user: User,
    chat: Annotated[str, typer.Argument(help="The chat's id, as `list` shows it.", metavar="CHAT")],
) -> Output:
    """Erase a chat and the memories that came from it alone; print how many rows are gone. It asks first, unless --yes is given.

    Fails where the user has no such chat.
    """
    if chat not in await engine.sessions(user):
        fail("The user has no such chat.")
    return erasure_output(await engine.erase_session(Scope(user, chat)))
