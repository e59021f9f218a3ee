"""Decides which recollections go into a prompt, why the others do not, and which go into every chat. Pure.

The subject of a chat is unknown when it begins, so use, kind and importance decide on the standing part: wishes for every answer,
dangers to the user, who they are. It leaves out statements that are needed only if asked for. For a user with few statements, it
has all the others.
"""

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cached_property
from heapq import nsmallest
from operator import itemgetter
from typing import TypeAlias
from uuid import UUID

from recollect.model import (
    ALL_TOLD,
    STATEMENTS,
    Disclosure,
    Drop,
    Item,
    Kind,
    Memory,
    Passage,
    Recollection,
    Use,
)
from recollect.recall.needed_statements import NO_NEEDS, Needs, current_by_worth
from recollect.text.patterns import bounded

_WORD = bounded("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7ff]|[^\\W\u3040-\u30ff\u3400-\u9fff\uac00-\ud7ff]+")
"""A word, or a character of a script that has no spaces."""

_COMPARED_AT_MOST = 300
"""The most texts of the request that are compared word by word. A verbatim repetition is found in all of them."""

_LIKE = 0.8
"""The Jaccard similarity of two texts' words above which one repeats the other."""

_SPACED = b"".join(
    each.lower().encode() if (each := chr(byte)).isalnum() or each == "_" else b" " for byte in range(128)
).ljust(256)
"""Each character of ASCII that a word has in lower case, and a space for each other one."""


class PromptTexts:
    """The texts of a request, newest first, normalized once a turn, when the first memory is compared with them."""

    def __init__(self, texts: Iterable[str] = ()) -> None:
        self._texts = [text for text in texts if text]
        self._words: dict[int, frozenset[str]] = {}
        self._plain: str | None = None

    def says(self, content: str, words: frozenset[str]) -> bool:
        """Whether a text of the request contains ``content`` verbatim, or has nearly the same ``words`` (as ``words_of`` returns them).

        Only texts of half to twice its length are compared word by word, the newest 300 of them.
        """
        plain = _normalized(content)
        return (bool(plain) and plain in self.normalize()) or repeats(
            words, map(self._words_at, self._near(len(content)))
        )

    def _near(self, length: int) -> list[int]:
        first = bisect_left(self._lengths, (length // 2, 0))
        stop = bisect_left(self._lengths, (length * 2 + 1, 0))
        places = map(itemgetter(1), self._lengths[first:stop])
        return nsmallest(_COMPARED_AT_MOST, places) if stop - first > _COMPARED_AT_MOST else list(places)

    def normalize(self) -> str:
        """Return the normalized texts, made once."""
        if self._plain is None:
            self._plain = _normalized("\0".join(self._texts))  # no memory holds the sign between them
        return self._plain

    @cached_property
    def _lengths(self) -> list[tuple[int, int]]:
        return sorted((len(text), place) for place, text in enumerate(self._texts))

    def _words_at(self, place: int) -> frozenset[str]:
        if place not in self._words:
            self._words[place] = words_of(self._texts[place])
        return self._words[place]


def words_of(text: str) -> frozenset[str]:
    """Return the case-folded words of a text; in scripts without spaces, its characters."""
    if text.isascii():  # four times as fast as the expression
        return frozenset(text.encode("ascii").translate(_SPACED).decode("ascii").split())
    return frozenset(_WORD.findall(text.casefold()))


def repeats(words: frozenset[str], others: Iterable[frozenset[str]]) -> bool:
    """Return whether the Jaccard similarity of a set of words to one of the others is above 0.8."""
    # Sets whose sizes differ too much can't reach it, and are not intersected. |a & b| / |a | b| is rearranged to need no union.
    length = len(words)
    at_least, at_most = length * _LIKE, length / _LIKE
    return any(
        at_least < len(other) < at_most and len(words & other) * (1 + _LIKE) > _LIKE * (length + len(other))
        for other in others
    )


_BLANKS = [each for each in map(chr, range(0x3001)) if each.isspace() and each != " "]


def _normalized(text: str) -> str:
    """Return a text case-folded and with single spaces."""
    plain = text.casefold()
    for blank in _BLANKS:  # a fifth of the time that it takes to split a long text and to join it again
        plain = plain.replace(blank, " ")
    while "  " in plain:
        plain = plain.replace("  ", " ")
    return plain.strip()


_JUDGED = STATEMENTS | {Kind.PROFILE}

_Source: TypeAlias = tuple[UUID, bool]

_COMPARED = 24
"""The most passages whose words are compared with the prompt and with each other: a log may say one thing many times."""


@dataclass(frozen=True, slots=True)
class SelectionLimits:
    """The limits of a selection.

    Attributes:
        limit: The most recollections. A client asks for another number with ``x-recollect-top-k-memories``.
        later: The same for a chat whose prompt already holds earlier blocks.
        of_log: The most passages of the log.
        of_one_source: The most passages of one message, and the most memories formed from it.
        cliff: The share of the best score that a passage needs; 0: no cliff.
        sure: The number of recollections up to which ``cliff`` applies.
        cliff_behind: The share of the best score that further passages need.
        beside: The most passages if a model has extracted statements from the log: it found the rest of little use.
    """

    limit: int = 20
    later: int = 6
    of_log: int = 7
    of_one_source: int = 2
    cliff: float = 0.5
    sure: int = 4
    cliff_behind: float = 0.75
    beside: int = 2


@dataclass(frozen=True, slots=True)
class SelectionContext:
    """The context of a selection.

    Attributes:
        session_id: The chat's session.
        asks_for_chats: Whether the turn asks for earlier chats.
        given: The ids of memories and messages in earlier blocks of the prompt.
        prompt: The texts that the request carries.
        abandoned: The ids of messages that the turn replaces. Statements learned from them alone no longer hold.
        disclosure: The kinds of items that the LLM's server may see. A forbidden item is selected and then left out.
        not_helpful: The ids of statements that the person called not helpful for questions like this one.
    """

    session_id: str
    asks_for_chats: bool
    given: Collection[UUID] = ()
    prompt: PromptTexts = field(default_factory=PromptTexts)
    abandoned: frozenset[UUID] = frozenset()
    disclosure: Disclosure = ALL_TOLD
    not_helpful: frozenset[UUID] = frozenset()

    def is_abandoned(self, item: Item) -> bool:
        """Return whether the turn replaces all messages that an item was learned from."""
        return bool(_messages(item)) and _messages(item) <= self.abandoned


def select(
    ranked: Sequence[Recollection],
    around: SelectionContext,
    how: SelectionLimits,
    *,
    relevant: bool,
    needs: Needs = NO_NEEDS,
) -> list[Recollection]:
    """Return the ranked recollections in their order, each with the reason why it was dropped, or None if it is selected.

    A summary is left out in other sessions unless the turn asks for earlier chats.

    Args:
        ranked: Best first.
        around: The context.
        how: The limits.
        relevant: Whether the turn asks for anything in the log. If not, everything that ``needs`` did not judge is left out.
        needs: The statements that the turn needs. The others that it judged are left out.
    """
    if not relevant and not needs.wanted:
        return [replace(each, dropped=Drop.IRRELEVANT) for each in ranked]
    if needs.at_most is not None:
        how = replace(how, limit=max(how.limit, needs.at_most))
    return _Selection(around, how, needs, relevant).select(ranked)


@dataclass(frozen=True, slots=True)
class _Selection:
    around: SelectionContext
    how: SelectionLimits
    needs: Needs
    relevant: bool

    def select(self, ranked: Sequence[Recollection]) -> list[Recollection]:
        """Select. A passage is dropped if a statement learned from it is selected, whichever of the two ranks first."""
        understood = _messages_of(each.item for each in ranked if each.item.id in self.around.given)
        while True:
            done = self._once(ranked, understood)
            # A dropped passage makes room for a statement, which may tell a further one; each round adds messages, so it ends.
            more = understood | _messages_of(each.item for each in done if each.dropped is None)
            if not any(each.dropped is None and _is_understood(each.item, more) for each in done):
                return done
            understood = more

    def _once(self, ranked: Sequence[Recollection], understood: frozenset[UUID]) -> list[Recollection]:
        # The best passage sets the cliff even if it is dropped. Statements have no cliff.
        best = next((each.score for each in ranked if not is_judged(each.item)), 0.0)
        sources: Counter[_Source] = Counter()
        taken: list[frozenset[str]] = []
        done = []
        given, compared = self.around.given, 0
        of_log = min(self.how.limit, self.how.beside if self.needs.understood else self.how.of_log)
        for each in ranked:
            is_statement = is_judged(each.item)
            dropped = self._of_itself(each.item, is_statement)
            if dropped is None and not is_statement:
                if _is_understood(each.item, understood):
                    dropped = Drop.SAME_SOURCE
                elif each.score < self._cliff(len(taken)) * best:
                    dropped = Drop.CLIFF
            if dropped is None and each.item.id in given:
                dropped = Drop.GIVEN  # after the cliff, which would have dropped it anyway
            is_beyond = len(taken) >= (self.how.limit if is_statement else of_log) or (
                not is_statement and compared >= _COMPARED
            )
            if dropped is None and is_beyond:
                dropped = Drop.LIMIT
            if dropped is None:  # last, since comparing words takes longest
                compared += not is_statement
                words = words_of(each.item.content)
                dropped = self._by_its_words(each.item, words, sources, taken)
                if dropped is None and not self.around.disclosure.allows(each.item):
                    dropped = Drop.UPSTREAM_POLICY
                if dropped is None:
                    sources[_source(each.item)] += 1
                    taken.append(words)
            done.append(each if dropped is None else Recollection(each.item, each.score, each.parts, dropped))
        return done

    def _cliff(self, taken: int) -> float:
        if taken < self.how.sure or not self.how.cliff:
            return self.how.cliff
        return max(self.how.cliff, self.how.cliff_behind)

    def _of_itself(self, item: Item, is_statement: bool) -> Drop | None:  # noqa: FBT001
        if item.id not in self.needs.wanted if is_statement else not self.relevant:
            return Drop.IRRELEVANT
        if item.id in self.around.not_helpful:
            return Drop.NOT_HELPFUL
        is_elsewhere = item.session_id not in {self.around.session_id, None}
        is_summary = isinstance(item, Memory) and item.kind is Kind.SUMMARY
        if is_summary and is_elsewhere and not self.around.asks_for_chats:
            return Drop.OTHER_SESSION
        return Drop.ABANDONED if self.around.abandoned and self.around.is_abandoned(item) else None

    def _by_its_words(
        self, item: Item, words: frozenset[str], sources: Counter[_Source], taken: Sequence[frozenset[str]]
    ) -> Drop | None:
        if sources[_source(item)] >= self.how.of_one_source:
            return Drop.SAME_SOURCE
        if self.around.prompt.says(item.content, words):
            return Drop.IN_PROMPT
        return Drop.REPEATS if repeats(words, taken) else None


def is_judged(item: Item) -> bool:
    """Return whether an item is judged alone, as statements and entries of the profile are."""
    return isinstance(item, Memory) and item.kind in _JUDGED


def _messages(item: Item) -> frozenset[UUID]:
    """Return the ids of the messages an item was learned from; empty for a memory that was written by hand."""
    return frozenset({item.id} if isinstance(item, Passage) else item.provenance.message_ids)


def _messages_of(items: Iterable[Item]) -> frozenset[UUID]:
    """Return the ids of the messages that the statements among the items were learned from."""
    statements = (item for item in items if isinstance(item, Memory) and item.kind in STATEMENTS)
    return frozenset(message for item in statements for message in item.provenance.message_ids)


def _is_understood(item: Item, understood: frozenset[UUID]) -> bool:
    return isinstance(item, Passage) and item.message_id in understood


def _source(item: Item) -> _Source:
    """Return the id of the message that an item comes from, or else its own id; and whether it is a memory."""
    if isinstance(item, Memory) and item.provenance.message_ids:
        return item.provenance.message_ids[0], True
    return item.id, isinstance(item, Memory)


_NONE_LIKELY: Mapping[UUID, float] = {}


def choose_standing(
    memories: Sequence[Memory],
    *,
    budget: int,
    count: Callable[[str], int],
    now: datetime,
    adds: Callable[[Memory], bool] = lambda _: True,
    likely: Mapping[UUID, float] = _NONE_LIKELY,
) -> tuple[Memory, ...]:
    """Choose statements greedily until the budget is used, and return them by `worth`; one that does not fit is skipped.

    Those for every chat go first; they may be more than fit. The likeliest of ``likely``, which has all but the profile's, go before
    the others. Statements that have ended are left out, and those that are needed only if asked for. ``adds`` decides whether one that
    would fit adds anything new.
    """
    left = budget
    chosen = []
    order = current_by_worth(memories, now)
    surely = {each.id: likely.get(each.id, float(each.is_for_every_chat)) for each in order}
    for memory in sorted(order, key=lambda each: (each.doubt is not None, -surely[each.id])):
        if memory.hints is not None and memory.hints.use is Use.ASKED:
            continue
        cost = count(f"\u2022 {memory.labelled}\n")
        # `adds` comes last: it records the words of each statement that it lets in.
        if cost <= left and adds(memory):
            left -= cost
            chosen.append(memory)
    return tuple(current_by_worth(chosen, now))


def standing_part(
    memories: Sequence[Memory],
    chosen: Sequence[Recollection],
    around: SelectionContext,
    *,
    budget: int,
    count: Callable[[str], int],
    now: datetime,
    likely: Mapping[UUID, float] = _NONE_LIKELY,
) -> tuple[Recollection, ...]:
    """Choose the standing part of a chat's block, whose lines take at most ``budget`` tokens; see `choose_standing`.

    Statements that the prompt already holds are left out, and so are paraphrases of recalled ones. A statement that
    was also recalled keeps its score; the others have the score 0.
    """
    found = {each.item.id: each.score for each in chosen}
    taken = [words_of(each.item.content) for each in chosen]

    def adds(memory: Memory) -> bool:
        words = words_of(memory.content)
        if (
            memory.id in around.given
            or memory.id in around.not_helpful
            or around.is_abandoned(memory)
            or around.prompt.says(memory.content, words)
        ):
            return False
        if memory.id not in found:  # else its own words are among those taken
            if repeats(words, taken):
                return False
            taken.append(words)
        return True

    standing = choose_standing(memories, budget=budget, count=count, now=now, adds=adds, likely=likely)
    return tuple(Recollection(each, found.get(each.id, 0.0), standing=True) for each in standing)
