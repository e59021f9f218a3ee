"""Asks a second model about statements alike that the first had not seen. Never: decides what becomes of them."""

from collections.abc import Sequence
from dataclasses import replace
from uuid import UUID

import structlog

from recollect.errors import ExtractorError
from recollect.formation.guarding import Guard
from recollect.formation.reconciliation import Weighed, nominate
from recollect.formation.rules import nominating_cosine
from recollect.formation.said import Said
from recollect.model import Judging, Memory, Relation
from recollect.ports import Backends, Pair

log = structlog.get_logger(__name__)


class Comparing:
    """Compares candidates with what is known."""

    def __init__(self, backends: Backends, guard: Guard, judging: Judging) -> None:
        self._backends = backends
        self._guard = guard
        self._judging = judging

    async def judged(
        self,
        weighed: Sequence[Weighed],
        said: Sequence[Said],
        known: Sequence[Memory],
        nearby: Sequence[Memory],
        *,
        corrects: frozenset[int],
    ) -> list[Weighed]:
        """Return the candidates with a second model's word; where it fails, they count as unrelated.

        Args:
            weighed: The candidates.
            said: The turns they come from.
            known: The memories the first model was shown.
            nearby: Others that are near to a candidate.
            corrects: The turns in which the person corrects something.
        """
        judge = self._backends.judge
        if judge is None:
            return list(weighed)
        threshold = nominating_cosine(self._backends.embedder.gate)
        nominated = nominate(
            weighed, known, nearby, corrects=corrects, threshold=threshold, judging=self._judging
        )
        if not nominated:
            return list(weighed)
        pairs = [_pair(weighed[number], memory, said) for number, memory in nominated]
        asker = said[-1].asker
        try:
            judged = await self._guard.call(asker.user_id, lambda: judge.compare(pairs, asker))
        except ExtractorError as error:
            log.warning("not_judged", error=type(error).__name__, detail=str(error), pairs=len(pairs))
            return list(weighed)
        relations: list[dict[UUID, Relation | None]] = [{} for _ in weighed]
        for (number, memory), relation in zip(nominated, judged.relations, strict=False):
            relations[number][memory.id] = relation
        return [replace(each, judged=words) for each, words in zip(weighed, relations, strict=True)]


def _pair(weighed: Weighed, memory: Memory, said: Sequence[Said]) -> Pair:
    at = said[weighed.believed.turn].exchange.turn.at
    return Pair(weighed.believed.candidate, f"{at:%Y-%m-%d}", memory)
