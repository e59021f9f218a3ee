"""`recollect audit-store`: what is wrong with the memories of a store, and repairing it. Never: what is a fault, SQL."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Any
from uuid import UUID

import typer

from recollect.model import Fault, Finding
from recollect_proxy.store_commands.running_commands import (
    FAILED,
    MISUSED,
    AsJson,
    DatabaseUrl,
    DataDir,
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
    from recollect_proxy.settings import ProxySettings

READER, OPERATION = "command line", "audit-store"
"""Under what names the person is told that their memories were read."""

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


def audit_store(
    *,
    user: Annotated[
        list[str] | None,
        typer.Option("--user", help="Only of the user with this id; may be repeated.", metavar="ID"),
    ] = None,
    only: Annotated[list[Fault] | None, typer.Option(help="Only this fault; may be repeated.")] = None,
    show: Annotated[
        bool, typer.Option("--show", help="Show the memories, with what they say, and not only how many.")
    ] = False,
    repair: Annotated[
        list[Fault] | None, typer.Option(help="Repair this fault, after a yes; may be repeated.")
    ] = None,
    yes: Yes = False,
    undo: Annotated[
        str | None, typer.Option(help="Undo what a run repaired, by the id it printed.", metavar="RUN")
    ] = None,
    data_dir: DataDir = None,
    database_url: DatabaseUrl = None,
    embedder: Annotated[str | None, typer.Option(help="local:MODEL, local:/path or openai:MODEL.")] = None,
    as_json: AsJson = False,
) -> None:
    """Find what is wrong with the memories that are kept, user by user, and repair it if you say so.

    duplicate: another memory says it. contradiction: a newer one says otherwise. junk: it says nothing about anybody.
    secret: it holds a key, a password or the like. order: it tells the assistant what to do for somebody else's benefit.
    no-source: the words it is said to rest on are not there. wrong-date: one of its dates can't be right.

    Memories are judged by the rules by which they are formed, and without a model. Nothing is changed without --repair,
    and --undo takes a whole run back. Each user can see that their memories were read.
    """
    only_users = [user_named(each) for each in user or ()]
    settings = settings_of(data_dir, database_url, embedder=embedder)
    if undo is not None:
        if repair or only or show:
            fail("--undo goes with --user alone.", MISUSED)
        _undo(settings, only_users, uuid_named(undo), as_json=as_json)
        return
    wanted = frozenset(repair or only or Fault) | frozenset(only or ())
    found = _opened(settings, lambda audit: _find(audit, only_users, wanted, show=show, keeps=as_json))
    if not as_json:
        _print(found, wanted)
    ran, repaired = _repair(settings, found, frozenset(repair or ()), asks=not yes)
    if as_json:
        print_json(_document(found, wanted, ran, repaired, show=show))
    elif ran is not None:
        typer.echo(f"repaired: {repaired} memories. To undo it: recollect audit-store --undo {ran}")


def _opened(settings: "ProxySettings", work: Any, *, embeds: bool = False) -> Any:
    """Return what is done over the opened store; exit with ``FAILED`` and a line on stderr where it can't be done."""
    from recollect.assembly import open_store_audit

    async def opened() -> Any:
        async with open_store_audit(settings, embeds=embeds) as audit:
            return await work(audit)

    return run(opened())


# -- finding -----------------------------------------------------------------------------------------


async def _find(
    audit: "StoreAudit", only: Sequence[str], wanted: Collection[Fault], *, show: bool, keeps: bool
) -> _Found:
    """Return what is found; what is to be shown is printed as it is found, or kept."""
    found = _Found()
    for user_id in await audit.users():
        if only and user_id not in only:
            continue
        found.users += 1
        await audit.note_admin_read(user_id, reader=READER, operation=OPERATION)
        counts: Counter[Fault] = Counter()
        rows: list[Finding] = []
        async for finding in audit.findings(user_id, wanted):
            counts[finding.fault] += 1
            if show:
                rows.append(finding)
        if counts:
            found.counts[user_id] = counts
        if keeps:
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


def _repair(
    settings: "ProxySettings", found: _Found, wanted: Collection[Fault], *, asks: bool
) -> tuple[UUID | None, int]:
    """Repair, after a yes where it ``asks``; return the run, None where there is nothing to do, and how many memories."""
    from uuid_utils.compat import uuid7

    count = sum(found.totals[each] for each in wanted)
    if not count:
        return None, 0
    if asks and not typer.confirm(_question(count, found, wanted), err=True):
        fail("Nothing was repaired.")
    ran = uuid7()
    users = [each for each, counts in found.counts.items() if any(counts[fault] for fault in wanted)]

    async def work(audit: "StoreAudit") -> int:
        return sum([await audit.repair(each, wanted, run=ran) for each in users])

    writes = bool(found.totals[Fault.SECRET] or found.totals[Fault.WRONG_DATE])
    repaired: int = _opened(settings, work, embeds=writes)
    return ran, repaired


def _undo(settings: "ProxySettings", only: Sequence[str], ran: UUID, *, as_json: bool) -> None:
    async def work(audit: "StoreAudit") -> tuple[int, int]:
        done = [await audit.undo_run(each, ran) for each in only or await audit.repaired_users(ran)]
        return sum(undone for undone, _ in done), sum(left for _, left in done)

    undone, left = _opened(settings, work)
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


def _document(
    found: _Found, wanted: Collection[Fault], ran: UUID | None, repaired: int, *, show: bool
) -> Mapping[str, Any]:
    def counted(counts: Counter[Fault]) -> dict[str, int]:
        return {each.value: counts[each] for each in Fault if each in wanted}

    told: dict[str, Any] = {
        "users": found.users,
        "totals": counted(found.totals),
        "by_user": {user: counted(counts) for user, counts in sorted(found.counts.items())},
        "run": ran,
        "repaired": repaired,
    }
    return {**told, "findings": found.shown} if show else told
