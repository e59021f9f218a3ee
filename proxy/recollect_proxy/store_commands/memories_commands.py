"""`recollect memories`: list, search, add, edit, rm, history, undo. Never: SQL, how a memory is found."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from recollect.model import Kind, Memory
from recollect_proxy.store_commands.running_commands import (
    MISUSED,
    AsJson,
    DatabaseUrl,
    DataDir,
    Embedder,
    User,
    fail,
    print_json,
    print_table,
    settings_of,
    user_named,
    uuid_named,
    with_engine,
)

if TYPE_CHECKING:
    from recollect.engine import Engine
    from recollect.model import Update

memories_app = typer.Typer(
    help="See and change what is remembered of a user.", no_args_is_help=True, add_completion=False
)

LONGEST = 8_000
"""Characters of a memory, as the memory API has it."""

_PAGE = 200
_COLUMNS = ("id", "kind", "importance", "said", "content")

Limit = Annotated[int, typer.Option(help="How many at most.", min=1, max=1_000_000)]
MemoryArgument = Annotated[str, typer.Argument(help="The memory's id, as `list` shows it.", metavar="MEMORY")]
KindOption = Annotated[Kind | None, typer.Option(help="What sort of statement it is.")]
Importance = Annotated[float | None, typer.Option(help="From 0 to 1.", min=0, max=1)]


@memories_app.command("list")
def list_memories(
    user: User,
    *,
    limit: Limit = 1000,
    data_dir: DataDir = None,
    database_url: DatabaseUrl = None,
    as_json: AsJson = False,
) -> None:
    """List a user's memories, newest first."""
    named = user_named(user)

    async def work(engine: "Engine") -> list[Memory]:
        found: list[Memory] = []
        after = None
        while len(found) < limit:
            page = await engine.page(named, limit=min(_PAGE, limit - len(found)), after=after)
            found += page.memories
            after = page.next
            if after is None:
                break
        return found

    print_memories(with_engine(settings_of(data_dir, database_url), work), as_json=as_json)


@memories_app.command()
def search(
    user: User,
    question: Annotated[str, typer.Argument(help="What to look for, as it would be asked in a chat.")],
    *,
    limit: Limit = 10,
    data_dir: DataDir = None,
    database_url: DatabaseUrl = None,
    embedder: Embedder = None,
    as_json: AsJson = False,
) -> None:
    """Rank a user's memories for a question, best first; also those that a chat would not be given."""
    from datetime import UTC, datetime

    from recollect.model import Scope, Turn

    named = user_named(user)
    turn = Turn(Scope(named, "recollect-search"), question, "search", datetime.now(UTC), "")

    async def work(engine: "Engine") -> list[Memory]:
        ranking = await engine.rank(turn)
        items = (each.item for each in ranking.ranked)
        return [item for item in items if isinstance(item, Memory)][:limit]

    settings = settings_of(data_dir, database_url, embedder=embedder)
    print_memories(with_engine(settings, work, embeds=True), as_json=as_json)


@memories_app.command()
def add(
    user: User,
    content: Annotated[str, typer.Argument(help="A statement about the user.")],
    *,
    kind: KindOption = Kind.FACT,
    importance: Importance = 0.5,
    data_dir: DataDir = None,
    database_url: DatabaseUrl = None,
    embedder: Embedder = None,
    as_json: AsJson = False,
) -> None:
    """Write a memory by hand; secrets in it are masked. Fails if the user has it already."""
    named, text = user_named(user), _content(content)

    async def work(engine: "Engine") -> Memory:
        return await engine.add(named, text, kind=kind or Kind.FACT, importance=importance or 0.0)

    settings = settings_of(data_dir, database_url, embedder=embedder)
    print_memories([with_engine(settings, work, embeds=True)], as_json=as_json)


@memories_app.command()
def edit(
    user: User,
    memory: MemoryArgument,
    *,
    content: Annotated[str | None, typer.Option(help="What it is to say.")] = None,
    kind: KindOption = None,
    importance: Importance = None,
    data_dir: DataDir = None,
    database_url: DatabaseUrl = None,
    embedder: Embedder = None,
    as_json: AsJson = False,
) -> None:
    """Correct a memory in place; the audit keeps what it was."""
    if content is None and kind is None and importance is None:
        fail("Give at least one of --content, --kind, --importance.", MISUSED)
    named, which = user_named(user), uuid_named(memory)
    text = None if content is None else _content(content)

    async def work(engine: "Engine") -> Memory:
        return await engine.revise(named, which, content=text, kind=kind, importance=importance)

    settings = settings_of(data_dir, database_url, embedder=embedder)
    print_memories([with_engine(settings, work, embeds=True)], as_json=as_json)


@memories_app.command()
def rm(
    user: User,
    memory: MemoryArgument,
    *,
    data_dir: DataDir = None,
    database_url: DatabaseUrl = None,
    as_json: AsJson = False,
) -> None:
    """Take a memory from a user. It is recalled no more; the audit still says what it was, and `undo` brings it back."""
    named, which = user_named(user), uuid_named(memory)
    with_engine(settings_of(data_dir, database_url), lambda engine: engine.forget(named, which))
    if as_json:
        print_json({"removed": which})
    else:
        typer.echo(f"removed: {which}")


@memories_app.command()
def history(
    user: User,
    memory: Annotated[
        str | None, typer.Argument(help="The memory's id; none: all that was changed.", metavar="[MEMORY]")
    ] = None,
    *,
    limit: Limit = 100,
    data_dir: DataDir = None,
    database_url: DatabaseUrl = None,
    as_json: AsJson = False,
) -> None:
    """List what was changed, newest first: of a memory, or of all the user's."""
    named, which = user_named(user), None if memory is None else uuid_named(memory)

    async def work(engine: "Engine") -> "list[Update]":
        return await engine.history(named, which, limit=limit)

    updates = with_engine(settings_of(data_dir, database_url), work)
    if as_json:
        print_json({"updates": updates})
        return
    print_table(
        ("id", "when", "action", "by", "why", "before", "after"),
        [
            (each.id, each.at, each.action, each.actor, each.reason, each.before, each.after)
            for each in updates
        ],
    )


@memories_app.command()
def undo(
    user: User,
    update: Annotated[str, typer.Argument(help="The change's id, as `history` shows it.", metavar="CHANGE")],
    *,
    data_dir: DataDir = None,
    database_url: DatabaseUrl = None,
    as_json: AsJson = False,
) -> None:
    """Undo one change. Fails where it was undone already, or what it left was changed since."""
    named, which = user_named(user), uuid_named(update)
    done = with_engine(settings_of(data_dir, database_url), lambda engine: engine.undo(named, which))
    if as_json:
        print_json(done)
    else:
        typer.echo(f"undone: {which} ({done.action} of {done.memory_id})")


def _content(given: str) -> str:
    """Return the text of a memory; exit with ``MISUSED`` where it can be none."""
    text = given.strip()
    if not text or len(given) > LONGEST or "\0" in given:
        fail(f"A memory has 1 to {LONGEST} characters, not only white space, without NUL.", MISUSED)
    return text


def print_memories(found: list[Memory], *, as_json: bool = False) -> None:
    """Print memories as a table or as JSON."""
    if as_json:
        print_json({"memories": [_document(each) for each in found]})
        return
    print_table(
        _COLUMNS, [(each.id, each.kind, each.importance, each.observed_at, each.content) for each in found]
    )


def _document(memory: Memory) -> Any:
    """Return the JSON of a memory, as the memory API has it."""
    from recollect.api.memories import Memory as Document

    return Document.of(memory)
