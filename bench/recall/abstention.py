"""The abstention bench: whether memories stay out of chats they have nothing to do with, and at what cost.

Never: how figures are shown.
"""

from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Any

import msgspec
from rich.progress import Progress

from bench.recall.asking import Asked
from bench.recall.dataset import LabelledConversation, Question, answerable, files_of
from bench.recall.gate_curve import EVIDENCE_DEPTH, Gated, curve, shipped
from bench.recall.opening import open_replay, unhurried
from bench.recall.plan import plan
from bench.recall.replay import Replay
from bench.recall.summary import counts, settings_used
from recollect import __version__
from recollect.assembly import make_policy
from recollect.errors import ConfigurationError
from recollect.model import Recall, Skip
from recollect.recall.calibration import unrelated_questions
from recollect_proxy.settings.proxy_settings import ProxySettings

GATE_SCORE = "gate_score"
"""The attribute of a ``Recall`` that tells what its gate went by."""

_DECIDED = {None, Skip.NOTHING_RELEVANT}


async def bench_abstention(
    data: Sequence[tuple[str, Sequence[LabelledConversation]]],
    settings: ProxySettings,
    *,
    unrelated: int | None,
    progress: Progress,
) -> dict[str, Any]:
    """Replay the conversations, and ask their users' own questions and unrelated ones in new chats.

    The unrelated questions are dealt out to the conversations; of a conversation's own only those are
    asked that have evidence.

    Args:
        data: The name of each file, and its conversations.
        settings: The operator's; see ``open_replay``.
        unrelated: How many unrelated questions each conversation's user asks at most; None: all are asked.
        progress: Is told how far it is.

    Returns:
        The curve over the gate's own score, and what the gate does as it is shipped.

    Raises:
        DatasetError: Two conversations have the same id.
        RecollectError: It can't be done.
    """
    if GATE_SCORE not in {field.name for field in fields(Recall)}:
        raise ConfigurationError("This version's recall does not tell what its gate went by.")
    files = files_of(data)
    hands = [_unrelated(len(files), number)[:unrelated] for number in range(len(files))]
    conversations = [each for _, found in data for each in found]
    asking = [answerable(each) for each in conversations]
    full = [
        msgspec.structs.replace(each, questions=(*each.questions, *hand))
        for each, hand in zip(asking, hands, strict=True)
    ]
    plans = [plan(conversation) for conversation in full]
    bar = progress.add_task("abstention", total=sum(len(each.steps) for each in plans))
    asked: list[Asked] = []
    async with open_replay(settings, **unhurried(settings)) as replay:
        for conversation, each in zip(full, plans, strict=True):
            asked += await replay.play(conversation, each, lambda: progress.advance(bar))
    return _figures(asked, files, replay)


def _unrelated(users: int, number: int) -> list[Question]:
    """Return the share of the unrelated questions that one of so many users asks."""
    asked = list(enumerate(unrelated_questions()))[number::users]
    return [Question(f"unrelated-{place}", text, category, evidence=()) for place, (category, text) in asked]


def _figures(asked: Sequence[Asked], files: Mapping[str, str], replay: Replay) -> dict[str, Any]:
    decided = [each for each in asked if each.skipped in _DECIDED]
    unrelated = [_gated(each, each.question.category) for each in decided if not each.question.evidence]
    own = [_gated(each, files[each.user_id]) for each in decided if each.question.evidence]
    return {
        "bench": "abstention",
        "version": __version__,
        "data": list(dict.fromkeys(files.values())),
        "settings": settings_used(replay.settings),
        "counts": counts(asked, replay.tally) | {"questions_not_recalled": len(asked) - len(decided)},
        "unrelated_questions": len(unrelated),
        "own_questions": len(own),
        "own_questions_with_evidence_ranked": sum(each.evidence_ranked for each in own),
        "evidence_depth": EVIDENCE_DEPTH,
        "shipped": {
            "threshold": make_policy(replay.settings).gate.threshold,
            **shipped(unrelated, own),
        },
        "curve": curve(unrelated, own),
    }


def _gated(asked: Asked, group: str) -> Gated:
    evidence = set(asked.question.evidence)
    return Gated(
        group,
        asked.gate_score,
        passed=asked.skipped is None,
        injected=bool(asked.injected),
        evidence_ranked=not evidence.isdisjoint(asked.ranked[:EVIDENCE_DEPTH]),
        evidence_injected=not evidence.isdisjoint(asked.injected),
    )
