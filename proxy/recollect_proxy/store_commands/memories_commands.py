"""`recollect memories` and `recollect chats`: list, search, add, correct, forget, changes, undo; list and erase chats."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated
from uuid import UUID

import typer

from recollect.model import (
    EVERYTHING,
    MOST_TAGS,
    TAG_LENGTH,
    UNCHANGED,
    YEARS,
    Kind,
    Memory,
    MemoryFilter,
    Scope,
    Turn,
    Update,
    person_of,
    tags_named,
)
from recollect.model.local_time import server_zone, wall
from recollect_proxy.store_commands.options_of_commands import (
    MISUSED,
    User,
    Yes,
    confirm,
    fail,
    named,
    over_store,
    part_of_id,
    project_named,
    whole_chat,
    whole_id,
)
from recollect_proxy.store_commands.printing import Output, Table
from recollect_proxy.store_commands.users_and_upkeep_commands import erasure_output

if TYPE_CHECKING:
    from recollect.engine import Engine

memories_app = typer.Typer(
    help="See and change what is remembered of a user.", no_args_is_help=True, add_completion=False
)

_PAGE, _ALL = 200, 1_000_000


def _content_named(given: str | None) -> str | None:
    """Return the text of a memory; exit with ``MISUSED`` if it can't be one."""
    from recollect.api.fields import LONGEST_CONTENT

    text = None if given is None else given.strip()
    if given is not None and (not text or len(given) > LONGEST_CONTENT or "\0" in given):
        fail(f"A memory has 1 to {LONGEST_CONTENT} characters, not only white space, without NUL.", MISUSED)
    return text


def _tags_given(given: list[str] | None) -> list[str]:
    """Return the tags of a memory; exit with ``MISUSED`` if it can't have them."""
    if len(tags := tags_named(given or ())) > MOST_TAGS or any(
        len(each) > TAG_LENGTH for each in given or ()
    ):
        fail(f"A memory has at most {MOST_TAGS} tags of 1 to {TAG_LENGTH} characters.", MISUSED)
    return list(tags)


def _expiry_given(given: datetime | None) -> datetime | None:
    """Return a day of a memory; exit with ``MISUSED`` if it can't have that."""
    if given is not None and given.year not in YEARS:
        fail(f"A memory's day is in the years {YEARS[0]} to {YEARS[-1]}.", MISUSED)
    return given


Limit = Annotated[int, typer.Option(help="How many at most.", min=1, max=1_000_000)]
MemoryId = Annotated[
    str,
    typer.Argument(
        help="The memory's id, or its beginning or end, as `list` shows it.",
        metavar="MEMORY",
        callback=part_of_id,
    ),
]
KindOption = Annotated[Kind | None, typer.Option(help="What sort of statement it is.")]
TagFilter = Annotated[
    list[str] | None, typer.Option("--tag", help="Only memories with this tag; several: with each.")
]
GivenTags = Annotated[
    list[str] | None,
    typer.Option("--tag", help="A tag of the memory; given several times, several.", callback=_tags_given),
]
Expiry = Annotated[
    datetime | None,
    typer.Option(
        "--expires",
        help="The day on which it is forgotten (UTC).",
        formats=["%Y-%m-%d"],
        callback=_expiry_given,
    ),
]
Importance = Annotated[float | None, typer.Option(help="From 0 to 1.", min=0, max=1)]


@memories_app.command("list")
@over_store(in_projects=True)
async def list_memories(
    engine: "Engine", user: User, *, limit: Limit = 1000, tag: TagFilter = None
) -> Output:
    """List a user's memories, newest first."""
    return memories_output(await _memories(engine, user, limit, MemoryFilter(tags=tags_named(tag or ()))))


async def _memories(
    engine: "Engine", user: str, limit: int = _ALL, taken: MemoryFilter = EVERYTHING
) -> list[Memory]:
    found: list[Memory] = []
    after = None
    while len(found) < limit:
        page = await engine.page(user, limit=min(_PAGE, limit - len(found)), after=after, taken=taken)
        found += page.memories
        after = page.next
        if after is None:
            break
    return found


async def _current(engine: "Engine", user: str, part: str) -> UUID:
    """Return the id of one of the user's memories."""
    return whole_id(part, (each.id for each in await _memories(engine, user)), f"memory of {named(user)!r}")


@memories_app.command()
@over_store(embeds=True, in_projects=True)
async def search(
    engine: "Engine",
    user: User,
    question: Annotated[str, typer.Argument(help="The question, as a chat would ask it.")],
    *,
    limit: Limit = 10,
) -> Output:
    """Rank a user's memories for a question, best first; also those that a chat would not be given."""
    turn = Turn(Scope(user, "recollect-search"), question, "search", datetime.now(UTC), "")
    ranking = await engine.rank(turn)
    items = (each.item for each in ranking.ranked)
    return memories_output([item for item in items if isinstance(item, Memory)][:limit])


@memories_app.command()
@over_store(embeds=True, in_projects=True)
async def add(
    engine: "Engine",
    user: User,
    content: Annotated[str, typer.Argument(help="A statement about the user.", callback=_content_named)],
    *,
    kind: KindOption = Kind.FACT,
    importance: Importance = 0.5,
    tag: GivenTags = None,
    expires: Expiry = None,
) -> Output:
    """Write a memory by hand; secrets in it are masked. Fails if the user has it already."""
    added = await engine.add(
        user,
        content,
        kind=kind or Kind.FACT,
        importance=importance or 0.0,
        tags=tag or (),
        expires_at=expires and expires.replace(tzinfo=UTC),
    )
    return memories_output([added])


def _some_change(
    *,
    content: str | None,
    kind: Kind | None,
    importance: float | None,
    tag: list[str] | None,
    expires: datetime | None,
) -> None:
    if not tag and (content, kind, importance, expires) == (None,) * 4:
        fail("Give at least one of --content, --kind, --importance, --tag, --expires.", MISUSED)


@memories_app.command()
@over_store(embeds=True, in_projects=True, before=_some_change)
async def correct(
    engine: "Engine",
    user: User,
    memory: MemoryId,
    *,
    content: Annotated[str | None, typer.Option(help="Its new words.", callback=_content_named)] = None,
    kind: KindOption = None,
    importance: Importance = None,
    tag: GivenTags = None,
    expires: Expiry = None,
) -> Output:
    """Correct a memory in place; its changes keep the earlier words."""
    whole = await _current(engine, user, memory)
    revised = await engine.revise(
        user,
        whole,
        content=content,
        kind=kind,
        importance=importance,
        tags=tuple(tag) if tag else None,
        expires_at=expires.replace(tzinfo=UTC) if expires else UNCHANGED,
    )
    return memories_output([revised])


@memories_app.command()
@over_store(in_projects=True)
async def forget(engine: "Engine", user: User, memory: MemoryId) -> Output:
    """Forget a memory. It is no longer recalled; its changes still have it, and `undo` brings it back."""
    whole = await _current(engine, user, memory)
    await engine.forget(user, whole)
    return Output({"forgotten": whole}, [f"forgotten: {whole}"])


@memories_app.command()
@over_store(embeds=True, in_projects=True)
async def move(
    engine: "Engine",
    user: User,
    memory: MemoryId,
    *,
    to: Annotated[
        str,
        typer.Option(
            help="To which project. (default: to the user's own memory)",
            metavar="NAME",
            callback=project_named,
        ),
    ] = "",
) -> Output:
    """Move a memory to a project, or with `--project` out of one. `undo` of the change moves it back."""
    whole = await _current(engine, user, memory)
    return memories_output([await engine.move(user, whole, to)])


@memories_app.command()
@over_store(in_projects=True)
async def changes(
    engine: "Engine",
    user: User,
    memory: Annotated[
        str | None,
        typer.Argument(
            help="The memory's id, or a part of it; without it all changes.",
            metavar="[MEMORY]",
            callback=part_of_id,
        ),
    ] = None,
    *,
    limit: Limit = 100,
) -> Output:
    """List the changes, newest first: of one memory, or of all memories of the user."""
    whole = None
    if memory is not None:
        made = await engine.history(user, None, limit=_ALL)
        whole = whole_id(
            memory, (each.memory_id for each in made if each.memory_id), f"memory of {named(user)!r}"
        )
    updates = await engine.history(user, whole, limit=limit)
    columns = ("id", "when", "action", "by", "why", "content")
    rows = [
        (each.id, each.at, each.action.value, each.actor.value, each.reason.value, _change_of(each))
        for each in updates
    ]
    return Output({"changes": updates}, Table(columns, rows))


def _change_of(update: Update) -> str:
    """Return the memory's words; of changed ones those before, too."""
    if update.before and update.after and update.before != update.after:
        return f"{update.before} -> {update.after}"
    return update.after or update.before or ""


@memories_app.command()
@over_store(in_projects=True)
async def undo(
    engine: "Engine",
    user: User,
    update: Annotated[
        str,
        typer.Argument(
            help="The change's id, or its beginning or end, as `changes` shows it.",
            metavar="CHANGE",
            callback=part_of_id,
        ),
    ],
) -> Output:
    """Undo one change. Fails if it was undone already, or if the memory was changed since."""
    made = await engine.history(user, None, limit=_ALL)
    whole = whole_id(update, (each.id for each in made), f"change of {named(user)!r}")
    done = await engine.undo(user, whole)
    return Output(done, [f"undone: {whole} ({done.action} of {done.memory_id})"])


def memories_output(found: Sequence[Memory]) -> Output:
    """Return memories as a table, and as JSON as the memory API has it."""
    import msgspec

    from recollect.api.memories import Memory as Document

    tagged = any(each.tags for each in found)
    columns = ("id", "kind", "importance", "said", *(["tags"] if tagged else []), "content")
    zone = server_zone()
    rows = [
        (
            *(each.id, each.kind.value, each.importance, f"{wall(each.observed_at, zone):%Y-%m-%d}"),
            *([", ".join(each.tags)] if tagged else []),
            each.content,
        )
        for each in found
    ]
    return Output(
        {"memories": msgspec.convert(list(found), list[Document], from_attributes=True)}, Table(columns, rows)
    )


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
