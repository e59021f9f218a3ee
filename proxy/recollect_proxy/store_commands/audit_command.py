"""`recollect audit-store`: finds and repairs faults of the memories in a store. Never: the rules by which a memory has a fault; SQL."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Any
from uuid import UUID

import typer

from recollect.model import Fault, Finding, person_of, project_of
from recollect_proxy.store_commands.printing import Output, print_output, print_table
from recollect_proxy.store_commands.running_commands import (
    MISUSED,
    AsJson,
    DatabaseUrl,
    DataDir,
    Embedder,
    ExtractionModel,
    Upstream,
    Users,
    Yes,
    confirm,
    fail,
    named,
    part_of_id,
    run_or_exit,
    settings_of,
    settings_with_model,
    whole_id,
)

if TYPE_CHECKING:
    from contextlib import AbstractAsyncContextManager

    from recollect.engine.people.store_audit import StoreAudit

READER, OPERATION = "command line", "audit-store"
"""The names under which a person sees that their memories were read."""

_WRITING = frozenset({Fault.SECRET, Fault.WRONG_DATE})
"""The faults whose repair writes a memory, which has to be embedded."""

_COLUMNS = ("memory", "user", "fault", "why", "content")


@dataclass(frozen=True)
class _Asked:
    """The options of an audit: no users mean everybody; ``undo`` is a run to undo instead."""

    users: Sequence[str]
    faults: frozenset[Fault]
    repairing: frozenset[Fault]
    undo: str | None
    yes: bool
    show: bool
    as_json: bool


@dataclass
class _Found:
    """The findings of an audit: how many users it looked at, each one's faults, and JSON if they are shown."""

    users: int = 0
    counts: dict[str, Counter[Fault]] = field(default_factory=dict)
    shown: list[dict[str, Any]] = field(default_factory=list)

    @property
    def totals(self) -> Counter[Fault]:
        """The number of each fault."""
        return sum(self.counts.values(), Counter())


Only = Annotated[list[Fault] | None, typer.Option(help="Only this fault; may be repeated.")]
Show = Annotated[
    bool, typer.Option("--show", help="Show the memories, with what they say, not only how many.")
]
ToRepair = Annotated[
    list[Fault] | None, typer.Option(help="Repair this fault, after a yes; may be repeated.")
]
ToUndo = Annotated[
    str | None,
    typer.Option(
        help="Undo what a run repaired, by the id it printed, or a part of it.",
        metavar="RUN",
        callback=part_of_id,
    ),
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
    """Find faults of the stored memories, user by user, and repair them if you say so.

    duplicate: another memory says it. contradiction: a newer one says otherwise. junk: it says nothing about anybody.
    secret: it holds a key, a password or the like. order: it tells the assistant to act for another person's benefit.
    no-source: its source is not in the message log. wrong-date: one of its dates can't be right.

    Memories are judged by the rules by which they are formed. Nothing is changed without --repair, and --undo takes a
    whole run back. Each user can see that their memories were read.
    """
    from recollect.assembly import open_store_audit

    if undo is not None and (repair or only or show or ask_model):
        fail("--undo goes with --user alone.", MISUSED)
    if ask_model:
        models = {"upstream": upstream, "extraction_model": extraction_model, "embedder": embedder}
        places = {"data_dir": data_dir, "database_url": database_url}
        settings = settings_with_model("audit-store", **places, **models)
    else:
        settings = settings_of(data_dir, database_url, embedder=embedder)
    repairing = frozenset(repair or ())
    faults = repairing | frozenset(only or ()) or frozenset(Fault)
    asked = _Asked(user or (), faults, repairing, undo, yes, show, as_json)
    opening = open_store_audit(
        settings,
        embeds=not repairing.isdisjoint(_WRITING),
        asks=ask_model,
        upstream=settings.upstream_api if ask_model else None,
    )
    run_or_exit(_carry_out(opening, asked))


async def _carry_out(opening: "AbstractAsyncContextManager[StoreAudit]", asked: _Asked) -> None:
    async with opening as audit:
        output = await (_audit(audit, asked) if asked.undo is None else _undo(audit, asked, asked.undo))
    print_output(output, as_json=asked.as_json)


async def _audit(audit: "StoreAudit", asked: _Asked) -> Output:
    """Find faults, print them as they are found, and repair those that are to be repaired."""
    found = _Found()
    for user_id in await audit.users():
        if not asked.users or person_of(user_id) in asked.users:
            await _find(audit, user_id, asked, found)
    faults = [each for each in Fault if each in asked.faults]
    if not asked.as_json:
        rows = [
            (named(user), *(counts[each] for each in faults)) for user, counts in sorted(found.counts.items())
        ]
        total = (f"{found.users} users", *(found.totals[each] for each in faults))
        print_table(("user", *faults), [*rows, total])
    ran, repaired = await _repair(audit, asked, found)

    def counted(counts: Counter[Fault]) -> dict[str, int]:
        return {each.value: counts[each] for each in faults}

    document = {
        "users": found.users,
        "totals": counted(found.totals),
        "by_user": {named(user): counted(counts) for user, counts in sorted(found.counts.items())},
        "run": ran,
        "repaired": repaired,
        **({"findings": found.shown} if asked.show else {}),
    }
    told = f"repaired: {repaired} memories. To undo it: recollect audit-store --undo {ran}"
    return Output(document, [] if ran is None else [told])


async def _find(audit: "StoreAudit", user_id: str, asked: _Asked, found: _Found) -> None:
    """Add a user's findings, and note for the user that an administrator read the memories."""
    await audit.note_admin_read(user_id, reader=READER, operation=OPERATION)
    findings = [each async for each in audit.findings(user_id, asked.faults)]
    found.users += 1
    if findings:
        found.counts[user_id] = Counter(each.fault for each in findings)
    if asked.show and asked.as_json:
        found.shown += [_document(user_id, each) for each in findings]
    elif asked.show and findings:
        print_table(_COLUMNS, [_row(user_id, each) for each in findings])


def _row(user_id: str, finding: Finding) -> tuple[object, ...]:
    memory = finding.memory
    correction = _correction(finding)
    content = f"{memory.content} | {correction}" if correction else memory.content
    return (memory.id, named(user_id), finding.fault.value, finding.reason, content)


def _document(user_id: str, finding: Finding) -> dict[str, Any]:
    return {
        "user": person_of(user_id),
        "project": project_of(user_id),
        "fault": finding.fault,
        "memory": finding.memory.id,
        "reason": finding.reason,
        "content": finding.memory.content,
        "other": None if finding.other is None else finding.other.id,
        "beside": _correction(finding),
    }


def _correction(finding: Finding) -> str:
    """Return the text to compare a memory with: another memory, or how this one should be."""
    if finding.other is not None:
        return finding.other.content
    corrected, memory = finding.corrected, finding.memory
    if corrected is None:
        return ""
    if corrected.content != memory.content:
        return corrected.content
    dates = ((memory.observed_at, corrected.observed_at), (memory.event_at, corrected.event_at))
    changed = [f"{was:%Y-%m-%d} -> {now:%Y-%m-%d}" for was, now in dates if was and now and was != now]
    return ", ".join(changed)


async def _repair(audit: "StoreAudit", asked: _Asked, found: _Found) -> tuple[UUID | None, int]:
    """Repair, after a yes; return the run, None if there is nothing to do, and the number of repaired memories."""
    from uuid_utils.compat import uuid7

    users = [user for user, counts in found.counts.items() if any(counts[each] for each in asked.repairing)]
    if not users:
        return None, 0
    count = sum(found.totals[each] for each in asked.repairing)
    confirm(
        f"Repair up to {count} memories of {len(users)} users ({', '.join(sorted(asked.repairing))})? "
        "It can be undone.",
        yes=asked.yes,
        otherwise="Nothing was repaired.",
    )
    ran = uuid7()
    return ran, sum([await audit.repair(each, asked.repairing, run=ran) for each in users])


async def _undo(audit: "StoreAudit", asked: _Asked, part: str) -> Output:
    ran = whole_id(part, await audit.runs(), "run")
    repaired = await audit.repaired_users(ran)
    users = [each for each in repaired if not asked.users or person_of(each) in asked.users]
    done = [await audit.undo_run(each, ran) for each in users]
    undone, left = sum(count for count, _ in done), sum(count for _, count in done)
    return Output(
        {"run": ran, "undone": undone, "left": left},
        [f"undone: {undone} changes; {left} were changed since, and stay"],
        failed=bool(left or not undone),
    )
