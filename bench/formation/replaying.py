"""Replays a labelled conversation, its facts standing in for what an extraction model finds, and looks what is left.

Never: what is printed; a text of the conversation in a figure, unless it is asked for.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

import msgspec
import numpy as np
from rich.progress import Progress

from bench.formation.cases import Decision, ExtractedItem
from bench.formation.decisions import Decided, decided_items
from bench.formation.opening import Bench, open_bench
from bench.formation.quoting import most_like
from bench.formation.staging import drain
from bench.recall.dataset import LabelledConversation
from bench.recall.facts import Fact
from bench.recall.plan import Sending, plan
from bench.recall.upstream import MODEL
from recollect.audit import replay
from recollect.model import Action, Exchange, Kind, Memory, Turn
from recollect.text.comparison.vetoes import of_memory, veto
from recollect.wire.turn_detection import detect_turn
from recollect_proxy.settings.proxy_settings import ProxySettings

_ALL = 10_000
_IMPORTANCE = 0.5
ALIKE = 0.9
"""The cosine from which on two memories may be the same."""


@dataclass(frozen=True, slots=True)
class Mentioned:
    """A fact in one turn of its evidence.

    Attributes:
        number: The fact's.
        item: As the model answers it.
    """

    number: int
    item: ExtractedItem


@dataclass(frozen=True, slots=True)
class ReplayScript:
    """Implements ``Script``: of each turn its facts, which it relates to nothing.

    Attributes:
        mentions: By the turn's id.
    """

    mentions: Mapping[str, Sequence[Mentioned]]

    def answer(self, exchanges: Sequence[Exchange], known: Sequence[Memory]) -> Mapping[str, Any]:  # noqa: ARG002 -- the port's
        """Return the facts of the turns that are asked about."""
        found = (each for exchange in exchanges for each in self.mentions.get(exchange.turn.key, ()))
        return {"memories": [msgspec.structs.asdict(each.item) for each in found]}

    def chosen(self, known: Sequence[Memory]) -> tuple[int, ...] | None:  # noqa: ARG002 -- the port's
        """Say nothing."""
        return None


@dataclass
class Replayed:
    """What became of the facts of a conversation.

    Attributes:
        facts: All of them.
        became: What was decided at each mention of a fact, by its number.
        made: Which fact a memory was made of.
        unlabelled: What was decided without a fact.
        turns: How many turns were said.
    """

    facts: Sequence[Fact]
    became: dict[int, list[Decided]] = field(default_factory=lambda: defaultdict(list))
    made: dict[UUID, int] = field(default_factory=dict)
    unlabelled: Counter[str] = field(default_factory=Counter)
    turns: int = 0


async def bench_replay(
    conversation: LabelledConversation,
    facts: Sequence[Fact],
    settings: ProxySettings,
    *,
    show: bool,
    progress: Progress,
) -> dict[str, Any]:
    """Replay a conversation over a database of its own, and return the figures.

    Args:
        conversation: What was said.
        facts: What a model finds in it.
        settings: The operator's.
        show: Whether the figures hold what was merged and what is left twice, as text.
        progress: Is told how far it is.

    Raises:
        RecollectError: It can't be replayed.
    """
    async with open_bench(settings, judges=False) as bench:
        replayed = await replay_conversation(bench, conversation, facts, progress)
        return await figures_of(bench, conversation.id, replayed, show=show)


async def replay_conversation(
    bench: Bench, conversation: LabelledConversation, facts: Sequence[Fact], progress: Progress
) -> Replayed:
    """Say all turns of a conversation, one after another, and form each at once.

    Raises:
        RecollectError: The store or the embedder failed.
    """
    sendings = plan(conversation).sendings
    task = progress.add_task(conversation.id, total=len(sendings))
    mentions = _mentions(conversation, facts)
    bench.scripts[conversation.id] = ReplayScript(mentions)
    bench.clock.restart()
    replayed = Replayed(facts)
    for sending in sendings:
        bench.clock.move_to(sending.turn.at)
        turn = _heard(conversation.id, sending, bench)
        if turn is not None:
            bench.inbox.forget()
            await bench.engine.remember(turn, sending.reply)
            await drain(bench, conversation.id)
            _note(replayed, bench, turn, mentions.get(turn.key, ()))
        progress.advance(task)
    return replayed


def _mentions(conversation: LabelledConversation, facts: Sequence[Fact]) -> dict[str, list[Mentioned]]:
    turns = {turn.id: turn for turn in conversation.turns}
    found: dict[str, list[Mentioned]] = defaultdict(list)
    for number, fact in enumerate(facts):
        for turn_id in fact.evidence:
            quote = most_like(turns[turn_id].text, fact.text)
            found[turn_id].append(Mentioned(number, ExtractedItem(quote, fact.text, Kind.FACT, _IMPORTANCE)))
    return found


def _heard(user_id: str, sending: Sending, bench: Bench) -> Turn | None:
    return detect_turn(
        msgspec.json.encode({"model": MODEL, "messages": sending.messages}),
        user_id=user_id,
        session_id=f"session-{sending.turn.session}",
        message_id=sending.turn.id,
        at=bench.clock(),
    ).turn


def _note(replayed: Replayed, bench: Bench, turn: Turn, mentions: Sequence[Mentioned]) -> None:
    replayed.turns += 1
    completed = bench.inbox.completed.get(turn.key)
    done = [] if completed is None else completed.done
    said = [each.item for each in mentions]
    for mentioned, decided in zip(mentions, decided_items(said, done, replayed.made)[0], strict=True):
        if decided.memory is not None and decided.decision is not Decision.QUARANTINE:
            replayed.made[decided.memory.id] = mentioned.number
    items, alone = decided_items(
        said, done, replayed.made
    )  # again, as one may be merged into another of them
    for mentioned, decided in zip(mentions, items, strict=True):
        replayed.became[mentioned.number].append(decided)
    replayed.unlabelled.update(f"{each.decision} ({each.reason})" for each in alone)


async def figures_of(bench: Bench, user_id: str, replayed: Replayed, *, show: bool) -> dict[str, Any]:
    """Return what is left of the facts, and whether the audit says the same.

    Raises:
        RecollectError: The store or the embedder failed.
    """
    memories = bench.backends.memories
    linked = {each.id: each for each in (await memories.page(user_id, limit=_ALL)).memories}
    kept = {replayed.made[each] for each in linked if each in replayed.made}
    fates = {number: _fate(number, replayed, kept) for number in range(len(replayed.facts))}
    updates = list(reversed(await memories.history(user_id, limit=_ALL)))
    observed = [
        linked[each.memory_id].observed_at
        for each in updates
        if _is_telling(each.action) and each.memory_id in linked
    ]
    duplicates = await _duplicates(bench, list(linked.values()))
    merged = _merged(replayed)
    figures: dict[str, Any] = {
        "conversation_turns": replayed.turns,
        "facts": len(replayed.facts),
        "memories": len(linked),
        "fates": dict(Counter(fate.partition(":")[0] for fate in fates.values())),
        "lost_because": dict(Counter(fate.partition(": ")[2] for fate in fates.values() if ": " in fate)),
        "kept_share": sum(fate in {"kept", "merged"} for fate in fates.values()) / max(1, len(fates)),
        "mentions_again": _again(replayed),
        "merged_pairs": len(merged),
        "without_a_fact": dict(replayed.unlabelled),
        "duplicates_left": len(duplicates),
        "in_order": observed == sorted(observed),
        "audit_gives_what_is_there": replay(updates) == set(linked),
    }
    if show:
        texts = replayed.facts
        figures["merged"] = [[texts[new].text, texts[known].text] for new, known in merged]
        figures["duplicates"] = [[one.content, other.content] for one, other in duplicates]
        figures["lost"] = [
            [fates[n], fact.text] for n, fact in enumerate(texts) if fates[n] not in {"kept", "merged"}
        ]
    return figures


def _is_telling(action: Action) -> bool:
    return action in {Action.ADD, Action.REPLACE}


def _fate(number: int, replayed: Replayed, kept: set[int]) -> str:
    """Say what became of a fact: ``kept``, ``merged``, ``replaced``, ``held``, ``unsaid``, or ``lost: REASON``."""
    became = replayed.became.get(number, [])
    if not became:
        return "unsaid"
    if number in kept:
        return "kept"
    if number in replayed.made.values():
        return "replaced"
    if any(each.merged for each in became):
        return "merged"
    if any(each.decision is Decision.QUARANTINE for each in became):
        return "held"
    return f"lost: {became[-1].reason}"


def _again(replayed: Replayed) -> dict[str, int]:
    """Count what became of facts that were mentioned once more after they were kept."""
    found: Counter[str] = Counter()
    for became in replayed.became.values():
        first = next((place for place, each in enumerate(became) if each.memory is not None), len(became))
        found.update(str(each.decision) for each in became[first + 1 :])
    return dict(found)


def _merged(replayed: Replayed) -> list[tuple[int, int]]:
    """Return the pairs of different facts of which one was taken for the other."""
    return sorted(
        {
            (number, each.target)
            for number, became in replayed.became.items()
            for each in became
            if each.merged and each.target is not None and each.target != number
        }
    )


async def _duplicates(bench: Bench, memories: Sequence[Memory]) -> list[tuple[Memory, Memory]]:
    """Return the pairs that are near each other, and that nothing tells apart."""
    if not memories:
        return []
    vectors = np.stack(await bench.backends.embedder.embed([each.content for each in memories]))
    near = np.argwhere(np.triu(vectors @ vectors.T, 1) > ALIKE)
    pairs = [(memories[int(one)], memories[int(other)]) for one, other in near]
    return [(one, other) for one, other in pairs if veto(of_memory(one), of_memory(other)) is None]
