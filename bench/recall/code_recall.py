"""The code bench: whether the turns that hold an identifier are found when it is asked for.

Its labels are made of the conversations themselves. Never: how figures are shown.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import msgspec
from rich.progress import Progress

from bench.recall.asking import Asked
from bench.recall.dataset import LabelledConversation
from bench.recall.identifiers import questions_about, rare_identifiers, sampled
from bench.recall.metrics import score
from bench.recall.opening import open_replay, unhurried
from bench.recall.plan import Plan, plan
from bench.recall.replay import Replay
from bench.recall.summary import by_category, counts, settings_used
from recollect import __version__
from recollect.errors import ConfigurationError
from recollect_proxy.settings.proxy_settings import ProxySettings

HYBRID_SETTING = "hybrid"
"""The setting that switches everything but the dense ranking off, where this version has one."""


async def bench_code(
    name: str,
    conversations: Sequence[LabelledConversation],
    settings: ProxySettings,
    *,
    identifiers: int,
    dense_only: bool,
    progress: Progress,
) -> dict[str, Any]:
    """Replay ``conversations``, and ask for their rare identifiers in three forms each.

    Evidence are the turns that hold the identifier, 1 to 3 of them; the conversations' own questions
    are not asked.

    Args:
        name: What they are called in the figures.
        conversations: What was said.
        settings: The operator's; see ``open_replay``.
        identifiers: How many are asked for in each conversation at most.
        dense_only: Ask everything once more with ``HYBRID_SETTING`` off.
        progress: Is told how far it is.

    Returns:
        The scores of each form, as ``summarize`` has those of categories; under ``dense_only`` the same
        of the ranking by embeddings alone, or null if it was not asked for.

    Raises:
        RecollectError: It can't be done.
    """
    if dense_only and HYBRID_SETTING not in type(settings).model_fields:
        raise ConfigurationError(f"This version has no setting `{HYBRID_SETTING}` to switch off.")
    asking = [_asking(conversation, identifiers) for conversation in conversations]
    plans = [plan(conversation) for conversation in asking]
    total = sum(len(each.steps) for each in plans) * (2 if dense_only else 1)
    bar = progress.add_task(name, total=total)

    advance = partial(progress.advance, bar)
    async with open_replay(settings, **unhurried(settings)) as replay:
        asked = await _play(replay, asking, plans, advance)
    dense: list[Asked] | None = None
    if dense_only:
        async with open_replay(settings, **unhurried(settings), **{HYBRID_SETTING: False}) as without:
            dense = await _play(without, asking, plans, advance)
    return {
        "bench": "code",
        "version": __version__,
        "data": name,
        "settings": settings_used(replay.settings),
        "counts": counts(asked, replay.tally),
        "identifiers": sum(len(each.questions) for each in asking) // 3,
        "ranked": _scores(asked, "ranked"),
        "injected": _scores(asked, "injected"),
        "dense_only": None if dense is None else _scores(dense, "ranked"),
    }


async def _play(
    replay: Replay,
    conversations: Sequence[LabelledConversation],
    plans: Sequence[Plan],
    advance: Callable[[], None],
) -> list[Asked]:
    asked: list[Asked] = []
    for conversation, made in zip(conversations, plans, strict=True):
        asked += await replay.play(conversation, made, advance)
    return asked


def _asking(conversation: LabelledConversation, at_most: int) -> LabelledConversation:
    """Return the conversation with questions about its identifiers in place of its own."""
    sent = [turn for each in plan(conversation, questions=0).sendings for turn in (each.turn, *each.replies)]
    asked_for = sampled(rare_identifiers(sent), at_most)
    questions = tuple(question for each in asked_for for question in questions_about(each))
    return msgspec.structs.replace(conversation, questions=questions)


def _scores(asked: Sequence[Asked], of: str) -> dict[str, Any]:
    return by_category(asked, lambda each: score(getattr(each, of), each.question.evidence))
