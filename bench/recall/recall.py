"""The recall bench: replays a file through a proxy of its own, and sums up. Never: how that is shown."""

from collections.abc import Callable, Sequence
from typing import Any

from rich.progress import Progress

from bench.recall.asking import Asked
from bench.recall.dataset import LabelledConversation, Question
from bench.recall.facts import Fact, FactIds, Facts, fact_steps
from bench.recall.opening import open_replay
from bench.recall.plan import plan
from bench.recall.quoting import quoted
from bench.recall.replay import Replay
from bench.recall.summary import summarize, summarize_facts
from recollect.model import Actor, Kind
from recollect_proxy.settings.proxy_settings import ProxySettings


async def bench_recall(
    name: str,
    conversations: Sequence[LabelledConversation],
    settings: ProxySettings,
    *,
    questions: int | None,
    progress: Progress,
    labels: Facts | None = None,
) -> dict[str, Any]:
    """Replay ``conversations``, each as one user's chats, and ask what they ask.

    Args:
        name: What they are called in the summary.
        conversations: What was said and is asked.
        settings: The operator's; see ``open_replay``.
        questions: How many questions of each conversation are asked at most; None: all.
        progress: Is told how far it is.
        labels: What the turns say, by which the quoted text is scored.

    Returns:
        As ``summarize`` does, and as ``quoted`` does how much of the evidence is quoted.

    Raises:
        RecollectError: The replay can't be done.
    """
    plans = [plan(conversation, questions=questions) for conversation in conversations]
    bar = progress.add_task(name, total=sum(len(each.steps) for each in plans))
    asked: list[Asked] = []
    async with open_replay(settings) as replay:
        for conversation, each in zip(conversations, plans, strict=True):
            asked += await replay.play(conversation, each, lambda: progress.advance(bar))
    figures = summarize(name, asked, replay.tally, replay.settings)
    return figures | {"quoted": quoted(asked, conversations, labels)}


async def bench_facts(
    name: str,
    conversations: Sequence[LabelledConversation],
    facts: Facts,
    settings: ProxySettings,
    *,
    questions: int | None,
    progress: Progress,
) -> dict[str, Any]:
    """Write the facts of ``conversations`` as memories of their users, and ask what these ask.

    Nothing that was said is replayed: all that can be found are the facts, as if an extractor had kept
    just these.

    Args:
        name: What the conversations are called in the summary.
        conversations: What is asked.
        facts: What is known. Conversations without facts are passed over.
        settings: The operator's; see ``open_replay``.
        questions: How many questions of each conversation are asked at most; None: all.
        progress: Is told how far it is.

    Returns:
        As ``summarize_facts`` does.

    Raises:
        RecollectError: It can't be done.
    """
    known = [conversation for conversation in conversations if conversation.id in facts.of]
    steps = [fact_steps(each, facts.of[each.id], questions=questions) for each in known]
    bar = progress.add_task(name, total=sum(map(len, steps)))
    asked: list[Asked] = []
    async with open_replay(settings) as replay:
        for conversation, each in zip(known, steps, strict=True):
            replay.begin(conversation)
            asked += await play_facts(replay, conversation.id, each, lambda: progress.advance(bar))
    return summarize_facts(name, asked, replay.tally, replay.settings, facts)


async def play_facts(
    replay: Replay, user_id: str, steps: Sequence[Fact | Question], advance: Callable[[], None]
) -> list[Asked]:
    """Write and ask what ``steps`` say, in order; call ``advance`` after each.

    Raises:
        RecollectError: A fact could not be written, or a question not asked.
    """
    ids = FactIds()
    asked: list[Asked] = []
    for step in steps:
        if isinstance(step, Fact):
            replay.clock.move_to(step.at)
            memory = await replay.engine.add(user_id, step.text, kind=Kind.FACT, actor=Actor.IMPORT)
            ids.written(memory, step)
        else:
            asked.append(await replay.ask(user_id, step, ids))
        advance()
    return asked
