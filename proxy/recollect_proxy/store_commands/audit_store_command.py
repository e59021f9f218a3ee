"""`recollect audit-store`: finds and repairs faults of the memories in a store."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from recollect.model import Fault, Finding, person_of, project_of
from recollect_proxy.store_commands.options_of_commands import (
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
from recollect_proxy.store_commands.printing import Output, print_output, print_table

if TYPE_CHECKING:
    from recollect.engine.people.store_audit import StoreAudit

READER, OPERATION = "command line", "audit-store"
"""The names under which a person sees that their memories were read."""

_WRITING = frozenset({Fault.SECRET, Fault.WRONG_DATE})
"""The faults whose repair writes a memory, which has to be embedded."""

_COLUMNS = ("memory", "user", "fault", "why", "content")


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
    from recollect.assembly.command_engines import open_store_audit

    if undo is not None and (repair or only or show or ask_model):
        fail("--undo goes with --user alone.", MISUSED)
    if ask_model:
        models = {"upstream": upstream, "extraction_model": extraction_model, "embedder": embedder}
        settings = settings_with_model("audit-store", data_dir=data_dir, database_url=database_url, **models)
    else:
        settings = settings_of(data_dir, database_url, embedder=embedder)
    upstream_api = settings.upstream_api if ask_model else None
    repairing = frozenset(repair or ())
    wanted = repairing | frozenset(only or ()) or frozenset(Fault)
    embeds = not repairing.isdisjoint(_WRITING)
    opening = open_store_audit(settings, embeds=embeds, asks=ask_model, upstream=upstream_api)

    async def audited() -> Output:
        async with opening as audit:
            if undo is not None:
                return await _undo(audit, undo, user)
            faults = [each for each in Fault if each in wanted]
            counts, shown = await _found(audit, faults, user, shows=show, as_json=as_json)
            return await _repaired(audit, faults, counts, repairing, yes=yes, shown=shown if show else None)

    print_output(run_or_exit(audited()), as_json=as_json)


async def _found(
    audit: "StoreAudit", faults: Sequence[Fault], only: Sequence[str] | None, *, shows: bool, as_json: bool
) -> tuple[dict[str, Counter[Fault]], list[dict[str, Any]]]:
    """Return the numbers of faults of each user, and the findings as JSON; print both unless ``as_json``.

    Each user can see that an administrator read the memories.
    """
    counts: dict[str, Counter[Fault]] = {}
    shown: list[dict[str, Any]] = []
    for user_id in await audit.users():
        if only and person_of(user_id) not in only:
            continue
        await audit.note_admin_read(user_id, reader=READER, operation=OPERATION)
        findings = [each async for each in audit.findings(user_id, frozenset(faults))]
        counts[user_id] = Counter(each.fault for each in findings)
        if shows and as_json:
            shown += [_document(user_id, each) for each in findings]
        elif shows and findings:
            print_table(_COLUMNS, [_row(user_id, each) for each in findings])
    if not as_json:
        rows = [(named(user), counts[user]) for user in sorted(counts) if counts[user]]
        total = (f"{len(counts)} users", sum(counts.values(), Counter()))
        print_table(
            ("user", *faults), [(name, *(each[fault] for fault in faults)) for name, each in [*rows, total]]
        )
    return counts, shown


async def _repaired(
    audit: "StoreAudit",
    faults: Sequence[Fault],
    counts: Mapping[str, Counter[Fault]],
    repairing: frozenset[Fault],
    *,
    yes: bool,
    shown: list[dict[str, Any]] | None,
) -> Output:
    """Repair, after a yes, if there is anything to repair; ``shown`` are the findings for the document."""
    from uuid_utils.compat import uuid7

    totals: Counter[Fault] = sum(counts.values(), Counter())
    users = [user for user, each in counts.items() if not repairing.isdisjoint(each)]
    run, repaired = uuid7() if users else None, 0
    if run is not None:
        confirm(
            f"Repair up to {sum(totals[each] for each in repairing)} memories of {len(users)} users "
            f"({', '.join(sorted(repairing))})? It can be undone.",
            yes=yes,
            otherwise="Nothing was repaired.",
        )
        repaired = sum([await audit.repair(each, repairing, run=run) for each in users])

    def counted(each: Counter[Fault]) -> dict[str, int]:
        return {fault.value: each[fault] for fault in faults}

    document = {
        "users": len(counts),
        "totals": counted(totals),
        "by_user": {named(user): counted(counts[user]) for user in sorted(counts) if counts[user]},
        "run": run,
        "repaired": repaired,
        **({} if shown is None else {"findings": shown}),
    }
    line = f"repaired: {repaired} memories. To undo it: recollect audit-store --undo {run}"
    return Output(document, [] if run is None else [line])


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


async def _undo(audit: "StoreAudit", part: str, only: Sequence[str] | None) -> Output:
    ran = whole_id(part, await audit.runs(), "run")
    users = [each for each in await audit.repaired_users(ran) if not only or person_of(each) in only]
    done = [await audit.undo_run(each, ran) for each in users]
    undone, left = sum(count for count, _ in done), sum(count for _, count in done)
    return Output(
        {"run": ran, "undone": undone, "left": left},
        [f"undone: {undone} changes; {left} were changed since, and stay"],
        failed=bool(left or not undone),
    )
