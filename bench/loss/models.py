"""Models that answer about the facts: one that is right, and one in a hurry."""

import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tests.scripted.extraction import command, statement

from bench.loss.told import Told
from bench.scripted import Numbers
from recollect.model import Exchange, Memory

_PARAPHRASED = 5
"""A model in a hurry quotes every so many-th fact in its own words."""
_HURRIED = 0.9


@dataclass
class RightModel:
    """Implements ``Script``: answers the labelled statement, about the memories that it was shown.

    Attributes:
        told: The facts, by the keys of their chats.
    """

    told: Mapping[str, Told]

    def statements(
        self, exchanges: Sequence[Exchange], known: Sequence[Memory], numbers: Numbers
    ) -> list[dict[str, Any]]:
        """Return the statements of the last message."""
        told = self._told(exchanges)
        if told is None:
            return []
        return self.answer(told, [numbers[each.id] for each in known if each.content == told.known])

    def answer(self, told: Told, about: list[int]) -> list[dict[str, Any]]:
        """Return the statements about a message, given the numbers of the memory that it is about."""
        if told.empty:
            return []
        relation = told.relation if about else "new"
        fields: dict[str, Any] = {"subject": told.subject, "relation": relation, "about": about}
        quotes = {"evidence": told.evidence} | _confirming(told)
        return [statement(content=told.statement, **fields, **quotes)]

    def wishes(self, exchanges: Sequence[Exchange], _numbers: Numbers) -> list[dict[str, Any]]:
        """Return the wish that the message has, if any."""
        told = self._told(exchanges)
        return [command(told.wish, told.evidence)] if told is not None and told.wish else []

    def chosen(self, _known: Sequence[Memory]) -> tuple[int, ...]:
        """Find nothing meant: no message here wants a memory of another forgotten."""
        return ()

    def _told(self, exchanges: Sequence[Exchange]) -> Told | None:
        return self.told.get(exchanges[-1].turn.key)


@dataclass
class HastyModel(RightModel):
    """Believes pastes and requests, takes everything for important, and quotes a fifth of the facts in its own words."""

    def answer(self, told: Told, about: list[int]) -> list[dict[str, Any]]:
        """Return a statement about every message in which it can find one."""
        if not told.statement:
            return []
        paraphrases = not told.empty and zlib.crc32(told.key.encode()) % _PARAPHRASED == 0
        quotes = {"evidence": told.evidence} | _confirming(told)
        if paraphrases:
            quotes = {"evidence": told.statement}
        relation = told.relation if about else "new"
        fields: dict[str, Any] = {"subject": told.subject, "relation": relation, "about": about}
        return [statement(content=told.statement, importance=_HURRIED, **fields, **quotes)]


def _confirming(told: Told) -> dict[str, str]:
    """Return the two quotes of a statement that the message confirms: the yes, and the assistant's sentence; else nothing."""
    is_confirmed = any(told.evidence in turn["assistant"] for turn in told.before)
    return {"evidence": told.say, "confirms": told.evidence} if is_confirmed else {}
