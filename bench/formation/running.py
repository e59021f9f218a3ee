"""Runs cases, one after another, and counts what came of them. Never: what a case is, how figures are shown."""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import httpx
from rich.progress import Progress

from bench.formation.cases import Case
from bench.formation.extraction import score_asked
from bench.formation.live import ask_model
from bench.formation.opening import Bench, open_bench
from bench.formation.outcome import Outcome, read_outcome
from bench.formation.scoring import score
from bench.formation.staging import stage
from recollect import __version__
from recollect.models.extractors import ModelExtractor, OpenAICompatibleModel
from recollect_proxy.settings.proxy_settings import ProxySettings


async def run_cases(bench: Bench, cases: Sequence[Case], progress: Progress) -> list[Outcome]:
    """Run cases, each for a user of its own.

    Raises:
        RecollectError: One can't be brought about, or the store or the embedder failed.
    """
    task = progress.add_task("cases", total=len(cases))
    outcomes: list[Outcome] = []
    for case in cases:
        outcomes.append(await read_outcome(bench, await stage(bench, case)))
        progress.advance(task)
    return outcomes


async def bench_cases(
    cases: Sequence[Case], settings: ProxySettings, *, progress: Progress, what: str
) -> dict[str, Any]:
    """Run cases over a database of their own, and return the figures.

    Args:
        cases: Which.
        settings: The operator's.
        progress: Is told how far it is.
        what: What they are, in words.

    Raises:
        RecollectError: They can't be run.
    """
    async with open_bench(settings) as bench:
        began = time.perf_counter()
        outcomes = await run_cases(bench, cases, progress)
        seconds = time.perf_counter() - began
        embedder = bench.backends.embedder.name
    return {
        "what": what,
        "cases": len(cases),
        **score(outcomes),
        "settings": {
            "embedder": embedder,
            "minimum_importance": settings.minimum_importance,
            "version": __version__,
        },
        "seconds": round(seconds, 1),
    }


async def bench_case(case: Case, settings: ProxySettings, *, progress: Progress) -> Outcome:
    """Run one case over a database of its own, and return what came of it.

    Raises:
        RecollectError: It can't be run.
    """
    async with open_bench(settings) as bench:
        [outcome] = await run_cases(bench, [case], progress)
    return outcome


@dataclass(frozen=True, slots=True)
class LiveModel:
    """A model that can be asked.

    Attributes:
        upstream: The base URL of its server.
        name: What it is called there.
        api_key: The credential; None: none is needed.
    """

    upstream: str
    name: str
    api_key: str | None = None


async def bench_model(
    model: LiveModel, cases: Sequence[Case], settings: ProxySettings, *, progress: Progress, what: str
) -> dict[str, Any]:
    """Ask a live model about cases, and return the figures.

    Args:
        model: Which.
        cases: Which.
        settings: The operator's.
        progress: Is told how far it is.
        what: What the cases are, in words.

    Raises:
        ConfigurationError: The model's address makes no sense.
    """
    seconds = settings.extraction_timeout_seconds or 120.0  # as of a hosted server, whichever it is
    async with httpx.AsyncClient(timeout=seconds, trust_env=False) as client:
        asking = OpenAICompatibleModel(
            client,
            base_url=model.upstream,
            model=model.name,
            api_key=model.api_key,
            is_upstream=False,
            timeout=timedelta(seconds=seconds),
        )
        asked = await ask_model(
            ModelExtractor(asking),
            cases,
            minimum_importance=settings.minimum_importance,
            progress=progress,
        )
    return {"what": what, "model": model.name, **score_asked(asked)}
