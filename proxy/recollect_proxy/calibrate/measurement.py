"""Measures the cosine that means nothing: that of a question unrelated to anybody's memory and its nearest memory.

The median over many such questions is the gate. It depends on the embedder, and little on the users. Never: how
figures are shown; a text or a name of a user's in them.
"""

import time
from collections.abc import Sequence
from itertools import chain, zip_longest
from statistics import median
from typing import Any

from rich.progress import Progress

from recollect import __version__
from recollect.assembly import make_policy, open_backends
from recollect.backends import Backends
from recollect.engine import Policy
from recollect.errors import RecollectError
from recollect.settings import EngineSettings
from recollect_proxy.calibrate.figures import percentile, share
from recollect_proxy.calibrate.nearest import Question, nearest_cosine
from recollect_proxy.calibrate.own_questions import own_questions
from recollect_proxy.calibrate.unrelated import deal

_OWN_AT_MOST = 200
_FEWEST = 20
"""Of fewer questions a median means nothing."""

_PATIENCE_SECONDS = 300.0
"""How long unrelated questions are asked, and how long own ones: a slow embedder is asked a sample."""


class NoDataError(RecollectError):
    """There is nothing to measure by."""


async def measure_gate(settings: EngineSettings, *, users: int, progress: Progress) -> dict[str, Any]:
    """Ask unrelated questions, and own ones, of the users who have most to be found.

    Nothing is formed, indexed, or noted meanwhile; the database's schema is brought up to date, as
    serving it does.

    Args:
        settings: Whose database and embedder.
        users: How many users are asked at most.
        progress: Is told how far it is.

    Returns:
        The gate, and what it would open for.

    Raises:
        NoDataError: There is no database yet, nobody in it, or nothing of this embedder.
        RecollectError: It can't be done.
    """
    policy = make_policy(settings)
    if settings.in_memory:
        raise NoDataError(
            "A database in memory has nothing to measure by: name the one that Recollect serves with."
        )
    if settings.database_url is None and not (settings.data_dir / "postgres").is_dir():
        raise NoDataError(
            f"There is no database in {settings.data_dir} yet: let Recollect serve some chats first."
        )
    async with open_backends(settings) as backends:
        largest = await backends.index.largest_users(users)
        if not largest:
            raise NoDataError("Nobody has said anything yet: let Recollect serve some chats first.")
        unrelated = await _sounded("unrelated", _unrelated(largest), backends, policy, progress)
        if len(unrelated) < _FEWEST:
            raise NoDataError(
                f"Hardly anything that is kept has an embedding of {backends.embedder.name} yet: let Recollect "
                "serve with it until there are some."
            )
        each = -(-_OWN_AT_MOST // len(largest))
        drawn = [own_questions(await backends.snapshots.get(user), at_most=each) for user in largest]
        own = await _sounded("own", _in_turn(drawn), backends, policy, progress)
        return _figures(len(largest), unrelated, own, policy, backends)


def _unrelated(users: Sequence[str]) -> list[Question]:
    hands = deal(len(users))
    return _in_turn(
        [
            [Question(user_id, question.text) for question in hand]
            for user_id, hand in zip(users, hands, strict=True)
        ]
    )


def _in_turn(hands: Sequence[Sequence[Question]]) -> list[Question]:
    """Return what is asked of all, one of each in turn, so that a part of it is a sample."""
    return [asking for asking in chain.from_iterable(zip_longest(*hands)) if asking is not None]


async def _sounded(
    name: str, asked: Sequence[Question], backends: Backends, policy: Policy, progress: Progress
) -> list[float]:
    bar = progress.add_task(name, total=len(asked))
    sounded: list[float] = []
    until = time.monotonic() + _PATIENCE_SECONDS
    for asking in asked:
        if time.monotonic() > until:
            break
        vector = await backends.embedder.embed_question(asking.text)
        snapshot = await backends.snapshots.get(asking.user_id)
        cosine = nearest_cosine(snapshot, asking, backends.embedder.name, vector, policy.reach)
        if cosine is not None:
            sounded.append(cosine)
        progress.advance(bar)
    progress.update(bar, completed=len(asked))
    return sounded


def _figures(
    users: int,
    unrelated: Sequence[float],
    own: Sequence[float],
    policy: Policy,
    backends: Backends,
) -> dict[str, Any]:
    gate = round(median(unrelated), 3)
    as_set = backends.embedder.gate if policy.gate.cosine is None else policy.gate.cosine
    gates = {"as_set": as_set, "calibrated": gate}
    return {
        "version": __version__,
        "embedder": backends.embedder.name,
        "users": users,
        "gate": gate,
        "gate_as_set": as_set,
        "setting": f"RECOLLECT_RECALL_GATE={gate}",
        "unrelated_cosine": _spread(unrelated),
        "own_cosine": _spread(own),
        "unrelated_opening": {name: _opening(unrelated, at) for name, at in gates.items()},
        "own_opening": {name: _opening(own, at) for name, at in gates.items()},
    }


def _spread(sounded: Sequence[float]) -> dict[str, float | int | None]:
    places = {"p5": 5, "median": 50, "p95": 95}
    return {"questions": len(sounded), **{name: percentile(sounded, at) for name, at in places.items()}}


def _opening(sounded: Sequence[float], gate: float) -> dict[str, Any]:
    """Return the share of questions that something is nearer to than the gate; words and cues do not count."""
    return share(sum(each > gate for each in sounded), len(sounded))
