"""Recognizes questions about earlier chats, and picks messages and summaries of these chats for the prompt. Pure.

"What were we talking about last time?" asks for chats, not for facts. Heads over the question's vector
recognize it (`bench.training.heads`). The question gets the newest chats, those of the period it names, or the chat with the
best passage about its topic.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from enum import StrEnum
from uuid import UUID

import numpy as np

from recollect.index import Names, Passages, Snapshot, StoredPassage, utc
from recollect.indexed_message import words_without_entry
from recollect.model import (
    ALL_TOLD,
    ChatPlace,
    Drop,
    Item,
    Kind,
    Memory,
    Passage,
    Recollection,
    Role,
    Vector,
)
from recollect.recall.question import RecallQuery
from recollect.recall.relevance_model import shipped_logits
from recollect.recall.selection import SelectionContext, is_judged, words_of

CHATS_TOKENS = 250
"""The most tokens that earlier chats take in a block, roughly."""

BAR = 1.0
"""The logit above which a question asks for chats."""
_WITH_DOCUMENT = 4.0
"""The same for a question with a document: most such questions are about the document."""

_UNSURE = 2.0
"""The absolute logit of a topic below which the prompt gets both readings. In cross-validation all errors were below it."""
_CHATS, _OF_PERIOD = 3, 8
"""The most chats for a question that names no time, and for one that does."""
_SURE = 0.3
"""The least score of a statement that a question for the last chats asks for, too: "..., and where do I live?"

Its words alone, "talk" and "last", are a little like ten statements and more.
"""
_IN_DETAIL = 2
"""The most chats of a period that are given in detail."""
_OF_TOPIC = 3
"""The most chats among whose words one may be about the topic of a question."""
_PASSAGES = 3
"""The most passages of a chat about a topic."""
_LINE, _SUMMARY, _SHORT_SUMMARY = 35, 120, 45
"""The most tokens quoted from a passage, from the summary of a chat in detail, and from any other summary."""
_FRAME = 14
"""Tokens of a line's label and its share of the heading, about."""


class ChatsAsked(StrEnum):
    """Which earlier chats a question asks for."""

    NONE = "none"
    LAST = "last"
    """The newest chats, or those of the period that the question names."""
    TOPIC = "topic"
    EITHER = "either"
    """The last chat or one about a topic: the heads are not sure."""

    @property
    def needs_log(self) -> bool:
        """Whether the chat is found by the ranked passages of the log."""
        return self in {ChatsAsked.TOPIC, ChatsAsked.EITHER}


def chats_asked(query: RecallQuery, vector: Vector | None) -> ChatsAsked:
    """Return which earlier chats a question asks for; none if it has no vector."""
    logits = shipped_logits("last_chat_heads", vector)
    if logits is None:
        return ChatsAsked.NONE
    chats, topic = logits.tolist()
    if chats <= (_WITH_DOCUMENT if query.has_document else BAR):
        return ChatsAsked.NONE
    if abs(topic) < _UNSURE:
        return ChatsAsked.EITHER
    return ChatsAsked.TOPIC if topic > 0 else ChatsAsked.LAST


def chats_of(ranked: Sequence[Recollection]) -> list[str]:
    """Return the chats of the best recollections, of which one may be asked for by its topic."""
    found = dict.fromkeys(each.item.session_id for each in ranked if not is_judged(each.item))
    return [each for each in found if each is not None][:_OF_TOPIC]


def with_words_of_chats(snapshot: Snapshot, said: Sequence[StoredPassage]) -> Snapshot:
    """Return a person's memory with the words of some chats, as the store has them, in place of its log.

    So it holds messages that no search finds, too, and serves a log that is too large for this process. A message that says nothing
    about its chat is left out, and its answer with it.
    """
    kept, told = [], set()
    for each in said:  # a question stands before its answer
        passage = each.passage
        if each.document < 0:
            words = words_without_entry(passage.role, passage.content)
            if not words or (passage.role is not Role.USER and passage.exchange_id not in told):
                continue
            passage = passage._replace(content=words)
        told.add(passage.exchange_id)
        kept.append(each._replace(passage=passage))
    names = Names(sessions=dict(snapshot.names.sessions))  # the snapshot is shared with other turns
    return replace(snapshot, passages=Passages().with_changed(kept, names), names=names)


def earlier_chats(
    asked: ChatsAsked,
    ranked: Sequence[Recollection],
    snapshot: Snapshot,
    query: RecallQuery,
    around: SelectionContext,
    count: Callable[[str], int],
) -> tuple[Recollection, ...]:
    """Return recollections of the chats that a question asks for, each with the reason why the prompt does not get it, or None.

    Args:
        asked: Which chats it asks for.
        ranked: The ranked passages and summaries, best first.
        snapshot: The person's memory. Without a log in memory only chats with a summary are found, and by topic those whose
            passages the store found.
        query: The question.
        around: The context of the turn's selection.
        count: Counts the tokens of a text.
    """
    if asked is ChatsAsked.NONE:
        return ()
    chats = _EarlierChats(snapshot, query, around, count)
    found = chats.found(asked, ranked)
    if found or around.disclosure.is_whole:
        return found
    # The person learns that there was something which this server may not see.
    withheld = replace(chats, around=replace(around, disclosure=ALL_TOLD)).found(asked, ranked)
    return tuple(replace(each, dropped=Drop.UPSTREAM_POLICY) for each in withheld)


def with_chats(
    chats: Sequence[Recollection], ranked: Sequence[Recollection], asked: ChatsAsked, limit: int | None
) -> list[Recollection]:
    """Append the ranked recollections to those of earlier chats, and drop all above ``limit``; None: no limit.

    Next to the newest chats, no passage of the log is relevant, and a statement only if its score is high.
    """
    if not chats:
        return list(ranked)
    there = {_identity(each.item) for each in chats}
    others = [each for each in ranked if _identity(each.item) not in there]
    if asked is ChatsAsked.LAST:
        others = [
            each if is_judged(each.item) and each.score >= _SURE else replace(each, dropped=Drop.IRRELEVANT)
            for each in others
        ]
    left = len(ranked) + len(chats) if limit is None else limit
    decided = []
    for each in (*chats, *others):
        decided.append(replace(each, dropped=Drop.LIMIT) if each.dropped is None and left <= 0 else each)
        left -= each.dropped is None
    return decided


@dataclass(frozen=True, slots=True)
class _EarlierChats:
    """The earlier chats of a person that a server may see. The chat that asks is none of them."""

    snapshot: Snapshot
    query: RecallQuery
    around: SelectionContext
    count: Callable[[str], int]

    def found(self, asked: ChatsAsked, ranked: Sequence[Recollection]) -> tuple[Recollection, ...]:
        """Return recollections of the chats that a question asks for."""
        topical = [] if asked is ChatsAsked.LAST else self._about(ranked)
        if asked is ChatsAsked.TOPIC:
            return self._within(topical)
        newest = self._last(_CHATS if asked is ChatsAsked.LAST else 1)
        there = {each.item.session_id for each in newest}
        return self._within([*newest, *(each for each in topical if each.item.session_id not in there)])

    def _last(self, most: int) -> list[Recollection]:
        """Return recollections of the chats in the question's period, or else of the ``most`` newest; newest first."""
        ended = self._ended()
        newest = sorted(ended, key=lambda each: -ended[each])
        of_period = self._of_period(ended)
        chats = of_period[:_OF_PERIOD] or newest[:most]
        detailed = 1 if not of_period else len(of_period) if len(of_period) <= _IN_DETAIL else 0
        lines: list[Recollection] = []
        between: list[Recollection] = []  # after all others, as far as there is room
        for number, chat in enumerate(chats):
            place = ChatPlace(number, _moment(ended[chat]), is_last=chat == newest[0], tokens=_LINE)
            lines += self._lines(chat, place, in_detail=number < detailed)
            between += self._between(chat, place) if number < detailed else ()
        return [*lines, *between]

    def _about(self, ranked: Sequence[Recollection]) -> list[Recollection]:
        """Return recollections of the chat that fits the topic best: its summary and its best passages."""
        found = [each for each in ranked if self._is_elsewhere(each.item)]
        if not found:
            return []
        best = found[0].item.session_id
        of_it = [each for each in found if each.item.session_id == best]
        chat, ended = self.snapshot.names.sessions.get(best or "", -1), self._ended()
        at = ended.get(chat)
        last = max(utc(each.item.dated) for each in of_it) if at is None else _moment(at)
        place = ChatPlace(_OF_PERIOD, last, is_last=at == max(ended.values(), default=0.0), tokens=_LINE)
        passages = [replace(each, chat=place) for each in of_it if isinstance(each.item, Passage)]
        summary = self._summary(chat)
        lines = [] if summary is None else [_recollection_of(summary, place, _SUMMARY, of_it[0].score)]
        return [*lines, *passages[:_PASSAGES]]

    @property
    def _passages(self) -> Passages:
        return self.snapshot.passages or Passages()

    def _is_elsewhere(self, item: Item) -> bool:
        """Return whether an item is of an earlier chat, and the server may see it."""
        if isinstance(item, Memory) and item.kind is not Kind.SUMMARY:
            return False
        return item.session_id not in {None, self.around.session_id} and self.around.disclosure.allows(item)

    def _ended(self) -> dict[int, float]:
        """Return the numbers of the earlier chats, each with the time of its last words, in seconds since 1970."""
        ended: dict[int, float] = {}
        memories = self.snapshot.memories
        for item, chat in zip(memories.items, memories.session.tolist(), strict=True):
            if chat >= 0 and self._is_elsewhere(item):
                ended[chat] = max(ended.get(chat, -np.inf), utc(item.dated).timestamp())
        if self.around.disclosure.history:
            columns = self._passages.columns
            rows = np.flatnonzero(self._passages.is_current)
            last = np.full(int(columns.session.max(initial=-1)) + 1, -np.inf)
            np.maximum.at(last, columns.session[rows], columns.said_at[rows])
            ended |= {chat: at for chat, at in enumerate(last.tolist()) if at > -np.inf}
        # The chat that asks is no earlier one.
        ended.pop(self.snapshot.names.sessions.get(self.around.session_id, -1), None)
        return ended

    def _of_period(self, ended: dict[int, float]) -> list[int]:
        """Return the chats in which something was said at a time that the question means, newest first."""
        columns = self._passages.columns
        is_within = np.zeros(len(columns.said_at), np.bool_)
        chats: set[int] = set()
        for start, end in self.query.moments:
            is_within |= (start <= columns.said_at) & (columns.said_at < end)
            chats |= {chat for chat, at in ended.items() if start <= at < end}
        chats |= set(columns.session[is_within & self._passages.is_current].tolist())
        return sorted(chats & ended.keys(), key=lambda each: -ended[each])

    def _lines(self, chat: int, place: ChatPlace, *, in_detail: bool) -> Iterator[Recollection]:
        """Yield a chat's summary, or else the first words of the person; in detail the last words of both, too."""
        summary = self._summary(chat)
        said = self._beginnings(chat, Role.USER)
        if summary is not None:
            yield _recollection_of(summary, place, _SUMMARY if in_detail else _SHORT_SUMMARY)
        first = said[:1] if summary is None else []
        last = [*said[-1:], *self._beginnings(chat, Role.ASSISTANT)[-1:]] if in_detail else []
        yield from (
            _recollection_of(each, place) for each in (*first, *(each for each in last if each not in first))
        )

    def _between(self, chat: int, place: ChatPlace) -> Iterator[Recollection]:
        """Yield the person's words between the first and the last ones, the newest first, if the chat has no summary."""
        if self._summary(chat) is None:
            yield from (_recollection_of(each, place) for each in self._beginnings(chat, Role.USER)[-2:0:-1])

    def _summary(self, chat: int) -> Memory | None:
        """Return the newest summary of a chat; None if it has none that the server may see."""
        memories = self.snapshot.memories
        rows = np.flatnonzero(memories.session == chat).tolist() if chat >= 0 else []
        items = (memories.items[row] for row in rows)
        return max(filter(self._is_elsewhere, items), key=lambda each: utc(each.dated), default=None)

    def _beginnings(self, chat: int, role: Role) -> list[Passage]:
        """Return the first passage of each message of one side, in order; pasted text only if there is nothing else."""
        if not self.around.disclosure.history:
            return []
        columns = self._passages.columns
        is_of = (columns.session == chat) & self._passages.is_current
        is_of &= columns.by_user == (role is Role.USER)
        if (is_of & ~columns.is_pasted).any():
            is_of &= ~columns.is_pasted
        rows = np.flatnonzero(is_of)
        order = rows[np.lexsort((columns.part[rows], columns.message[rows], columns.said_at[rows]))]
        # `np.unique` returns the first place of each message, by the number of the message: sorted again, they are in order of time.
        _, first = np.unique(columns.message[order], return_index=True)
        return [self._passages.items[row] for row in order[np.sort(first)].tolist()]

    def _within(self, lines: Sequence[Recollection]) -> tuple[Recollection, ...]:
        """Drop the recollections that the prompt already has, and those above ``CHATS_TOKENS``."""
        left = CHATS_TOKENS
        decided = []
        for each in lines:
            most = _LINE if each.chat is None else each.chat.tokens
            cost = min(self.count(each.item.content), most) + _FRAME
            dropped = self._dropped(each.item) or (Drop.BUDGET if cost > left else None)
            left -= 0 if dropped else cost
            decided.append(replace(each, dropped=dropped))
        return tuple(decided)

    def _dropped(self, item: Item) -> Drop | None:
        if item.id in self.around.given:
            return Drop.GIVEN
        is_said = self.around.prompt.says(item.content, words_of(item.content))
        return Drop.IN_PROMPT if is_said else None


def _recollection_of(item: Item, place: ChatPlace, tokens: int = _LINE, score: float = 1.0) -> Recollection:
    return Recollection(item, score, (("earlier_chat", 1.0),), chat=replace(place, tokens=tokens))


def _identity(item: Item) -> tuple[UUID, int]:
    return item.id, 0 if isinstance(item, Memory) else item.part


def _moment(seconds: float) -> datetime:
    return datetime.fromtimestamp(seconds, UTC)
