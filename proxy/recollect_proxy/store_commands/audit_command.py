"""`recollect audit-store`: what is wrong with the memories of a store, and repairing it. Never: what is a fault, SQL."""

from collections import Counter
from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar
from uuid import UUID

import typer

from recollect.model import Fault, Finding
from recollect_proxy.settings.command_settings import no_upstream_for, settings_of_start
from recollect_proxy.store_commands.running_commands import (
    FAILED,
    MISUSED,
    AsJson,
    DatabaseUrl,
    DataDir,
    Embedder,
    ExtractionModel,
    Upstream,
    Users,
    fail,
    print_json,
    print_table,
    run,
    settings_of,
    user_named,
    uuid_named,
)
from recollect_proxy.store_commands.upkeep_commands import Yes

if TYPE_CHECKING:
    from recollect.engine.store_audit import StoreAudit
    from recollect_proxy.settings.proxy_settings import ProxySettings

READER, OPERATION = "command line", "audit-store"
"""Under what names the person is told that their memories were read."""

_WRITING = frozenset({Fault.SECRET, Fault.WRONG_DATE})
"""Whose repair writes a memory anew, which is to be embedded."""

_Result = TypeVar("_Result")

_COLUMNS = ("user", "fault", "memory", "why", "what it says", "beside, or corrected")


@dataclass
class _Found:
    """What was found.

    Attributes:
        users: How many users were looked at.
        counts: By user, how many of each fault; who has none is not in it.
        shown: The findings, where they are to be told in the end.
    """

    users: int = 0
    counts: dict[str, Counter[Fault]] = field(default_factory=dict)
    shown: list[dict[str, Any]] = field(default_factory=list)

    @property
    def totals(self) -> Counter[Fault]:
        """How many of each fault."""
        return sum(self.counts.values(), Counter())


@dataclass(frozen=True)
class _Asked:
    """What is asked for.

    Attributes:
        settings: The store's.
        users: Only of these; none: of everybody.
        faults: Which are looked for.
        repairing: Which of them are repaired.
        yes: Whether nobody is asked before.
        show: Whether what the memories say is shown.
        as_json: Whether one document is printed.
        model: Whether the extraction model is asked, too.
    """

    settings: "ProxySettings"
    users: Sequence[str]
    faults: frozenset[Fault] = frozenset(Fault)
    repairing: frozenset[Fault] = frozenset()
    yes: bool = False
    show: bool = False
    as_json: bool = False
    model: bool = False


Only = Annotated[list[Fault] | None, typer.Option(help="Only this fault; may be repeated.")]
Show = Annotated[
    bool, typer.Option("--show", help="Show the memories, with what they say, not only how many.")
]
ToRepair = Annotated[
    list[Fault] | None, typer.Option(help="Repair this fault, after a yes; may be repeated.")
]
ToUndo = Annotated[
    str | None, typer.Option(help="Undo what a run repaired, by the id it printed.", metavar="RUN")
]
AskModel = Annotated[
    bool,
    typer.Option(
        "--ask-model", help="Ask the extraction model, too, which memories say the same or otherwise."
    ),
]


def audit_store(
    *,
    user: Users = None,
    only: Only = None,
    show: Show = False,
    repair: ToRepair = None,
    yes: Yes = False,
    undo: ToUndo = None,
    ask_model: AskModel = False,
    upstream: Upstream = None,
    extraction_model: ExtractionModel = None,
    data_dir: DataDir = None,
    database_url: DatabaseUrl = None,
    embedder: Embedder = None,
    as_json: AsJson = False,
) -> None:
    """Find what is wrong with the memories that are kept, user by user, and repair it if you say so.

    duplicate: another memory says it. contradiction: a newer one says otherwise. junk: it says nothing about anybody.
    secret: it holds a key, a password or the like. order: it tells the assistant what to do for somebody else's benefit.
    no-source: the words it is said to rest on are not there. wrong-date: one of its dates can't be right.

    Memories are judged by the rules by which they are formed. Nothing is changed without --repair, and --undo takes a
    whole run back. Each user can see that their memories were read.
    """
    users = [user_named(each) for each in user or ()]
    models = {"upstream": upstream, "extraction_model": extraction_model}
    settings = _settings(data_dir, database_url, embedder, models if ask_model else None)
    if undo is not None:
        if repair or only or show or ask_model:
            fail("--undo goes with --user alone.", MISUSED)
        _undo(settings, users, uuid_named(undo), as_json=as_json)
        return
    repairing = frozenset(repair or ())
    faults = repairing | frozenset(only or ()) or frozenset(Fault)
    asked = _Asked(settings, users, faults, repairing, yes, show, as_json, ask_model)
    _opened(asked, lambda audit: _audit(audit, asked))


def _settings(
    data_dir: Path | None,
    database_url: str | None,
    embedder: str | None,
    models: dict[str, str | None] | None,
) -> "ProxySettings":
    """Return the settings; where a model is asked, with the LLM they name, which is needed then."""
    if models is None:
        return settings_of(data_dir, database_url, embedder=embedder)
    from recollect.logs import configure_logging
    from recollect_proxy.app import with_upstream_key

    configure_logging("error")
    return with_upstream_key(
        settings_of_start(
            no_upstream_for("audit-store"),
            data_dir=data_dir,
            database_url=database_url,
            embedder=embedder,
            **models,
        )
    )


def _opened(asked: _Asked, work: "Callable[[StoreAudit], Awaitable[_Result]]") -> _Result:
    """Return what is done over the opened store; exit with ``FAILED`` and a line on stderr where it can't be done."""
    from recollect.assembly import open_store_audit

    embeds = not asked.repairing.isdisjoint(_WRITING)

    async def opened() -> _Result:
        upstream = asked.settings.upstream_api if asked.model else None
        opening = open_store_audit(asked.settings, embeds=embeds, asks=asked.model, upstream=upstream)
        async with opening as audit:
            return await work(audit)

    return run(opened())


async def _audit(audit: "StoreAudit", asked: _Asked) -> None:
    """Find, print, and repair what is to be repaired."""
    found = await _find(audit, asked)
    if not asked.as_json:
        _print(found, asked.faults)
    ran, repaired = await _repair(audit, asked, found)
    if asked.as_json:
        print_json(_document(found, asked, ran, repaired))
    elif ran is not None:
        typer.echo(f"repaired: {repaired} memories. To undo it: recollect audit-store --undo {ran}")


# -- finding -----------------------------------------------------------------------------------------


async def _find(audit: "StoreAudit", asked: _Asked) -> _Found:
    """Return what is found; what is to be shown is printed as it is found, or kept."""
    found = _Found()
    for user_id in await audit.users():
        if asked.users and user_id not in asked.users:
            continue
        found.users += 1
        await audit.note_admin_read(user_id, reader=READER, operation=OPERATION)
        counts: Counter[Fault] = Counter()
        rows: list[Finding] = []
        async for finding in audit.findings(user_id, asked.faults):
            counts[finding.fault] += 1
            if asked.show:
                rows.append(finding)
        if counts:
            found.counts[user_id] = counts
        if asked.as_json:
            found.shown += [_told(user_id, each) for each in rows]
        elif rows:
            print_table(_COLUMNS, [_row(user_id, each) for each in rows])
    return found


def _row(user_id: str, finding: Finding) -> tuple[object, ...]:
    memory = finding.memory
    return (user_id, finding.fault, memory.id, finding.reason, memory.content, _beside(finding))


def _beside(finding: Finding) -> str:
    """Return what a finding is to be compared with: another memory, or how this one should be."""
    if finding.other is not None:
        return finding.other.content
    corrected, memory = finding.corrected, finding.memory
    if corrected is None:
        return ""
    if corrected.content != memory.content:
        return corrected.content
    dates = ((memory.observed_at, corrected.observed_at), (memory.event_at, corrected.event_at))
    told = [f"{was:%Y-%m-%d} -> {now:%Y-%m-%d}" for was, now in dates if was and now and was != now]
    return ", ".join(told)


def _told(user_id: str, finding: Finding) -> dict[str, Any]:
    return {
        "user": user_id,
        "fault": finding.fault,
        "memory": finding.memory.id,
        "reason": finding.reason,
        "content": finding.memory.content,
        "other": None if finding.other is None else finding.other.id,
        "beside": _beside(finding),
    }


# -- repairing ---------------------------------------------------------------------------------------


def _question(count: int, found: _Found, repairing: Iterable[Fault]) -> str:
    users = sum(any(counts[each] for each in repairing) for counts in found.counts.values())
    kinds = ", ".join(sorted(repairing))
    return f"Repair up to {count} memories of {users} users ({kinds})? It can be undone."


async def _repair(audit: "StoreAudit", asked: _Asked, found: _Found) -> tuple[UUID | None, int]:
    """Repair, after a yes; return the run, None where there is nothing to do, and how many memories were repaired."""
    from uuid_utils.compat import uuid7

    count = sum(found.totals[each] for each in asked.repairing)
    if not count:
        return None, 0
    if not asked.yes and not typer.confirm(_question(count, found, asked.repairing), err=True):
        fail("Nothing was repaired.")
    ran = uuid7()
    users = [each for each, counts in found.counts.items() if any(counts[fault] for fault in asked.repairing)]
    return ran, sum([await audit.repair(each, asked.repairing, run=ran) for each in users])


def _undo(settings: "ProxySettings", only: Sequence[str], ran: UUID, *, as_json: bool) -> None:
    async def work(audit: "StoreAudit") -> tuple[int, int]:
        done = [await audit.undo_run(each, ran) for each in only or await audit.repaired_users(ran)]
        return sum(undone for undone, _ in done), sum(left for _, left in done)

    undone, left = _opened(_Asked(settings, only), work)
    if as_json:
        print_json({"run": ran, "undone": undone, "left": left})
    else:
        typer.echo(f"undone: {undone} changes; {left} were changed since, and stay")
    if left or not undone:
        raise typer.Exit(FAILED)


# -- printing ----------------------------------------------------------------------------------------


def _print(found: _Found, wanted: Collection[Fault]) -> None:
    faults = [each for each in Fault if each in wanted]
    rows: list[tuple[object, ...]] = [
        (user, *(counts[each] for each in faults)) for user, counts in sorted(found.counts.items())
    ]
    totals = found.totals
    print_table(("user", *faults), [*rows, (f"{found.users} users", *(totals[each] for each in faults))])


def _document(found: _Found, asked: _Asked, ran: UUID | None, repaired: int) -> Mapping[str, Any]:
    def counted(counts: Counter[Fault]) -> dict[str, int]:
        return {each.value: counts[each] for each in Fault if each in asked.faults}

    told: dict[str, Any] = {
        "users": found.users,
        "totals": counted(found.totals),
        "by_user": {user: counted(counts) for user, counts in sorted(found.counts.items())},
        "run": ran,
        "repaired": repaired,
    }
    return {**told, "findings": found.shown} if asked.show else told
