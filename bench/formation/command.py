"""`python -m bench formation`: how good the memories are that are formed. Never: how that is measured."""

import os
from pathlib import Path
from typing import Annotated

import typer
from rich.progress import Progress

from bench.formation.cases import Half, read_cases
from bench.formation.made import made_cases
from bench.formation.replaying import bench_replay
from bench.formation.running import LiveModel, bench_case, bench_cases, bench_model
from bench.formation.table import show_case, show_cases, show_model, show_replay, told
from bench.recall.dataset import LabelledConversation, read_conversations
from bench.recall.facts import Facts, read_facts
from bench.recall.measuring import Figures, measure
from recollect_proxy.settings.proxy_settings import ProxySettings

_CASES = Path("bench/formation/labelled")
_FACTS = 200

_Half = Annotated[Half, typer.Option(help="Which of the labelled cases.")]
_Cases = Annotated[Path, typer.Option(help="The folder of the labelled cases.", metavar="FOLDER")]
_Language = Annotated[str | None, typer.Option(help="Only cases in this language.", metavar="CODE")]
_Case = Annotated[
    str | None, typer.Option("--case", help="Show this one case whole, of either half.", metavar="ID")
]
_Data = Annotated[
    Path | None,
    typer.Option(
        help="Make cases of these labelled conversations instead; needs --observations.", metavar="FILE"
    ),
]
_Replay = Annotated[
    Path | None,
    typer.Option(
        help="Replay the first of these labelled conversations that has observations; needs --observations.",
        metavar="FILE",
    ),
]
_Observations = Annotated[
    Path | None,
    typer.Option(
        help="Facts and the turns they come from, one JSON object a line (conversation, fact, evidence).",
        metavar="FILE",
    ),
]
_Upstream = Annotated[
    str | None,
    typer.Option(help="Ask a live model about the cases instead: its server's base URL.", metavar="URL"),
]
_Model = Annotated[
    str | None, typer.Option(help="With --upstream: what the model is called.", metavar="NAME")
]
_Key = Annotated[
    str | None,
    typer.Option(help="With --upstream: the environment variable that holds the credential.", metavar="VAR"),
]
_Limit = Annotated[
    int | None,
    typer.Option(help="At most N cases; with --data, N facts (200 else).", metavar="N", min=1),
]
_Show = Annotated[
    bool, typer.Option("--show", help="With --replay: print what is merged, left twice and lost.")
]
_Json = Annotated[bool, typer.Option("--json", help="Print one JSON document, and nothing else, to stdout.")]


def formation(
    *,
    half: _Half = Half.CHECK,
    cases: _Cases = _CASES,
    language: _Language = None,
    case: _Case = None,
    data: _Data = None,
    replay: _Replay = None,
    observations: _Observations = None,
    upstream: _Upstream = None,
    model: _Model = None,
    api_key_env: _Key = None,
    limit: _Limit = None,
    show: _Show = False,
    as_json: _Json = False,
) -> None:
    """Measure what becomes of what an extraction model answers: junk, false merges, what is missed and lost.

    Each labelled case is one message of a user of its own: what the models answer to it is written in the case,
    right or wrong, and everything else is as in a chat, in a database of its own that is removed in the end.

    With --data, the cases are made of labelled conversations. With --replay, one conversation is said turn by
    turn, and told is what is left of the facts in it. With --upstream, a live model is asked about the labelled
    cases: told is how much of what they hold it finds, and how rightly it relates that.
    """
    _check(data=data, replay=replay, upstream=upstream, model=model, observations=observations)
    if replay is not None and observations is not None:
        _measure_replay(replay, observations, show=show, as_json=as_json)
    elif data is not None and observations is not None:
        _measure_data(data, observations, limit or _FACTS, as_json=as_json)
    elif upstream is not None and model is not None:
        live = LiveModel(upstream, model, _credential(api_key_env))
        _measure_model(live, cases, half, language, limit, as_json=as_json)
    elif case is not None:
        _measure_case(cases, case, as_json=as_json)
    else:
        _measure_cases(cases, half, language, limit, as_json=as_json)


def _check(
    *,
    data: Path | None,
    replay: Path | None,
    upstream: str | None,
    model: str | None,
    observations: Path | None,
) -> None:
    if sum(each is not None for each in (data, replay, upstream)) > 1:
        raise typer.BadParameter("--data, --replay and --upstream exclude each other.")
    if (data is not None or replay is not None) != (observations is not None):
        raise typer.BadParameter("--observations goes with --data or --replay, and these with it.")
    if (upstream is not None) != (model is not None):
        raise typer.BadParameter("--upstream and --model go together.")


def _credential(variable: str | None) -> str | None:
    if variable is None:
        return None
    credential = os.environ.get(variable)
    if not credential:
        raise typer.BadParameter(f"There is nothing in the environment variable {variable}.")
    return credential


def _measure_cases(
    folder: Path, half: Half, language: str | None, limit: int | None, *, as_json: bool
) -> None:
    async def measured(settings: ProxySettings, progress: Progress) -> Figures:
        read = read_cases(folder, half=half, language=language)[:limit]
        return await bench_cases(read, settings, progress=progress, what=f"labelled cases, {half}")

    measure(measured, show_cases, as_json=as_json)


def _measure_case(folder: Path, case_id: str, *, as_json: bool) -> None:
    async def measured(settings: ProxySettings, progress: Progress) -> Figures:
        [case] = read_cases(folder, case_id=case_id)
        return {"lines": told(await bench_case(case, settings, progress=progress))}

    measure(measured, show_case, as_json=as_json)


def _measure_data(data: Path, observations: Path, facts: int, *, as_json: bool) -> None:
    async def measured(settings: ProxySettings, progress: Progress) -> Figures:
        conversations, found = _read_facts(data, observations)
        made = made_cases([(each, found.of[each.id]) for each in conversations], limit=facts)
        return await bench_cases(made, settings, progress=progress, what=f"cases made of {data.name}")

    measure(measured, show_cases, as_json=as_json)


def _measure_replay(data: Path, observations: Path, *, show: bool, as_json: bool) -> None:
    async def measured(settings: ProxySettings, progress: Progress) -> Figures:
        [conversation, *_], found = _read_facts(data, observations)
        facts = found.of[conversation.id]
        return await bench_replay(conversation, facts, settings, show=show, progress=progress)

    measure(measured, show_replay, as_json=as_json)


def _measure_model(
    live: LiveModel, folder: Path, half: Half, language: str | None, limit: int | None, *, as_json: bool
) -> None:
    async def measured(settings: ProxySettings, progress: Progress) -> Figures:
        read = read_cases(folder, half=half, language=language)[:limit]
        return await bench_model(live, read, settings, progress=progress, what=f"labelled cases, {half}")

    measure(measured, show_model, as_json=as_json)


def _read_facts(data: Path, observations: Path) -> tuple[list[LabelledConversation], Facts]:
    """Return the conversations that have facts, and these."""
    conversations = read_conversations(data)
    facts = read_facts(observations, conversations)
    return [each for each in conversations if each.id in facts.of], facts
