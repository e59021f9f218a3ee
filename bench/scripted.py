"""Models that answer as a script says, a script for each person."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, Protocol, TypeAlias
from uuid import UUID

from recollect.errors import InvalidExtractionError
from recollect.model import Candidate, Exchange, Memory
from recollect.models.extractors import ModelExtractor
from recollect.models.extractors.chat_model import Messages, ModelAnswer
from recollect.ports import Asker, Chosen, Extracted

Numbers: TypeAlias = Mapping[UUID, int]
"""Under which number the model was shown which memory."""

_TOKENS = 100


class Script(Protocol):
    """The answers of the models about one person."""

    def statements(
        self, exchanges: Sequence[Exchange], known: Sequence[Memory], numbers: Numbers
    ) -> list[dict[str, Any]]:
        """Return the statements that the extraction model answers, as its JSON has them."""
        ...

    def wishes(self, exchanges: Sequence[Exchange], numbers: Numbers) -> list[dict[str, Any]]:
        """Return the wishes that it finds, as its JSON has them."""
        ...

    def chosen(self, known: Sequence[Memory]) -> tuple[int, ...] | None:
        """Return which memories the second model takes a command to forget to mean; None if it fails."""
        ...


@dataclass(slots=True)
class Asked:
    """How often a model was asked, and how much it was shown."""

    calls: int = 0
    characters: int = 0


@dataclass(frozen=True, slots=True)
class NumberedCandidate(Candidate):
    """A candidate that tells which statement of the answer it was, whatever is changed about it."""

    number: int = 0


@dataclass(frozen=True)
class ScriptedExtractor:
    """Implements ``Extractor``: the prompt of every model is written, and its answer read."""

    scripts: Mapping[str, Script]
    asked: Asked

    async def extract(self, exchanges: Sequence[Exchange], known: Sequence[Memory]) -> Extracted:
        """Return the statements and commands of the scripted answer."""
        script = self.scripts[exchanges[0].turn.scope.user_id]
        model = _Answers(script, exchanges, known, self.asked)
        extracted = await ModelExtractor(model).extract(exchanges, known)
        numbered = (
            NumberedCandidate(
                **{each.name: getattr(candidate, each.name) for each in fields(Candidate)}, number=n
            )
            for n, candidate in enumerate(extracted.candidates)
        )
        return replace(extracted, candidates=tuple(numbered))

    async def aclose(self) -> None:
        """Let go of nothing."""


@dataclass(frozen=True)
class _Answers:
    """Implements ``ChatModel`` for one question."""

    script: Script
    exchanges: Sequence[Exchange]
    known: Sequence[Memory]
    asked: Asked

    async def ask(self, messages: Messages, *_: object, **__: object) -> ModelAnswer:
        self.asked.calls += 1
        self.asked.characters += sum(len(each["content"]) for each in messages)
        in_order = sorted(self.known, key=lambda each: each.id)  # as the prompt numbers them
        numbers = {each.id: number for number, each in enumerate(in_order)}
        answer = {
            "memories": self.script.statements(self.exchanges, self.known, numbers),
            "wishes": self.script.wishes(self.exchanges, numbers),
        }
        return ModelAnswer(json.dumps(answer, ensure_ascii=False), _TOKENS, "scripted")

    async def aclose(self) -> None:
        """Let go of nothing."""


@dataclass(frozen=True)
class ScriptedJudge:
    """Implements ``Judge``."""

    scripts: Mapping[str, Script]

    async def choose(self, _command: str, known: Sequence[Memory], asker: Asker) -> Chosen:
        """Return the script's choice."""
        numbers = self.scripts[asker.user_id].chosen(known)
        if numbers is None:
            raise InvalidExtractionError
        return Chosen(numbers, _TOKENS)
