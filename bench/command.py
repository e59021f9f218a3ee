"""The programs that measure on labelled conversations: `python -m bench recall` and its like. Never: how figures are made."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer
from rich.progress import Progress

from bench.formation.command import formation
from bench.recall.abstention import bench_abstention
from bench.recall.code_recall import bench_code
from bench.recall.dataset import LabelledConversation, read_conversations
from bench.recall.facts import read_facts
from bench.recall.measuring import Figures, measure
from bench.recall.prefix_cache import Placement, SessionCaps, bench_cache
from bench.recall.recall import bench_facts, bench_recall
from bench.recall.table import show_abstention, show_cache, show_code, show_recall
from recollect.errors import RecollectError
from recollect_proxy.settings.proxy_settings import ProxySettings

_COMPARED = (Placement.STABLE, Placement.SYSTEM, Placement.OFF)
_CAPS = SessionCaps()

_Data = Annotated[
    Path, typer.Option("--data", help="Labelled conversations, one JSON object a line.", metavar="FILE")
]
_SeveralData = Annotated[
    list[Path],
    typer.Option("--data", help="Labelled conversations; may be given several times.", metavar="FILE"),
]
_Questions = Annotated[
    int | None, typer.Option("--questions", help="Ask the first N questions of each.", metavar="N", min=0)
]
_Json = Annotated[bool, typer.Option("--json", help="Print one JSON document, and nothing else, to stdout.")]
_Limit = Annotated[
    int | None,
    typer.Option(
        "--limit-conversations", help="Replay the first N conversations of a file.", metavar="N", min=1
    ),
]

bench_app = typer.Typer(
    help="Measure Recollect on labelled conversations.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)


@bench_app.callback()
def bench() -> None:
    """Measure Recollect on labelled conversations."""


@bench_app.command()
def recall(
    data: _Data,
    *,
    facts: Annotated[
        Path | None,
        typer.Option(
            help="Facts and the turns they come from, one JSON object a line (conversation, fact, evidence): "
            "they are written as memories, and nothing that was said is replayed.",
            metavar="FILE",
        ),
    ] = None,
    labels: Annotated[
        Path | None,
        typer.Option(
            help="Facts as in --facts that tell what the turns say: the text that is quoted is scored by their words.",
            metavar="FILE",
        ),
    ] = None,
    as_json: _Json = False,
    limit_conversations: _Limit = None,
    questions: _Questions = None,
) -> None:
    """Replay conversations through the proxy, without an LLM, and measure what their questions recall.

    Each conversation is one user's chats, in a database of its own that is removed in the end. The
    RECOLLECT_* settings of embedder and recall are those that a chat has.

    With --facts, what is ranked are facts, not turns. A fact is relevant if it rests on any evidence
    of the question: for NDCG, MRR and hit. Recall is the share of the evidence that the first facts
    rest on together.
    """

    async def measured(settings: ProxySettings, progress: Progress) -> Figures:
        conversations = read_conversations(data)[:limit_conversations]
        if facts is None:
            return await bench_recall(
                data.name,
                conversations,
                settings,
                questions=questions,
                progress=progress,
                labels=None if labels is None else read_facts(labels, conversations),
            )
        read = read_facts(facts, conversations)
        return await bench_facts(
            data.name, conversations, read, settings, questions=questions, progress=progress
        )

    measure(measured, show_recall, as_json=as_json)


@bench_app.command()
def code(
    data: _Data,
    *,
    as_json: _Json = False,
    limit_conversations: _Limit = None,
    identifiers: Annotated[
        int, typer.Option(help="Ask for N identifiers of each conversation at most.", metavar="N", min=1)
    ] = 300,
    dense: Annotated[
        bool, typer.Option("--dense", help="Also replay with ranking by embeddings alone.")
    ] = False,
) -> None:
    """Replay conversations, and measure whether the code names they talk of are found again.

    Names of two parts or more, as getUserName or user_name, that one to three turns of a conversation
    hold are asked for as they stand, in small letters, and split into words.
    """

    async def measured(settings: ProxySettings, progress: Progress) -> Figures:
        conversations = read_conversations(data)[:limit_conversations]
        return await bench_code(
            data.name,
            conversations,
            settings,
            identifiers=identifiers,
            dense_only=dense,
            progress=progress,
        )

    measure(measured, show_code, as_json=as_json)


@bench_app.command()
def abstention(
    data: _SeveralData,
    *,
    as_json: _Json = False,
    limit_conversations: _Limit = None,
    unrelated: Annotated[
        int | None,
        typer.Option(
            help="Ask N unrelated questions of each conversation's user at most; otherwise all 500 are "
            "dealt out.",
            metavar="N",
            min=0,
        ),
    ] = None,
) -> None:
    """Measure how often unrelated questions inject memories, and what keeping them out costs.

    Conversations are replayed; then their own questions that have evidence, and questions of the world
    that nobody's memory has to do with, are asked in new chats. Told is, for a gate at every threshold:
    the share of unrelated questions that inject anything, and of own ones with evidence among the first
    ten before the gate the share that have none after it; and the same for the gate as it is shipped.
    """

    async def measured(settings: ProxySettings, progress: Progress) -> Figures:
        read = _read(data, limit_conversations)
        return await bench_abstention(read, settings, unrelated=unrelated, progress=progress)

    measure(measured, show_abstention, as_json=as_json)


@bench_app.command()
def cache(
    data: _Data,
    *,
    as_json: _Json = False,
    limit_conversations: _Limit = None,
    placement: Annotated[
        Placement | None,
        typer.Option(help="Where memories go; otherwise stable, system and off are compared."),
    ] = None,
    session_turns: Annotated[
        int, typer.Option(help="Replay the first N turns of a chat.", metavar="N", min=1)
    ] = _CAPS.turns,
    session_bytes: Annotated[
        int, typer.Option(help="Replay a chat up to N bytes of text.", metavar="N", min=1)
    ] = _CAPS.text_bytes,
) -> None:
    """Measure how much of each request an upstream's prefix cache could use again for the chat's next.

    Every request carries its chat's whole history. For each two that follow each other: the share of
    the first's messages, and of its whole body, as the upstream got them, that the second's begin with.
    """

    async def measured(settings: ProxySettings, progress: Progress) -> Figures:
        conversations = read_conversations(data)[:limit_conversations]
        return await bench_cache(
            data.name,
            conversations,
            settings,
            placements=_COMPARED if placement is None else (placement,),
            caps=SessionCaps(session_turns, session_bytes),
            progress=progress,
        )

    measure(measured, show_cache, as_json=as_json)


def _read(
    data: Sequence[Path], limit_conversations: int | None
) -> list[tuple[str, list[LabelledConversation]]]:
    return [(path.name, read_conversations(path)[:limit_conversations]) for path in data]


bench_app.command()(formation)


def main() -> None:
    """Run the command that the arguments name."""
    try:
        bench_app(prog_name="python -m bench")
    except RecollectError as error:
        sys.exit(f"{error}")
