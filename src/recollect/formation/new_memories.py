"""New memories: of accepted candidates, and of exchanges that are kept verbatim. Pure."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from uuid import UUID

from recollect.formation.verification import AcceptedCandidate
from recollect.model import (
    VITAL,
    Candidate,
    Exchange,
    Hints,
    Kind,
    Memory,
    Provenance,
    Source,
    Turn,
    Use,
    Vector,
)
from recollect.text.secrets import mask

ASKED_IMPORTANCE = 0.8
"""The least importance of a statement that its person asks to remember."""

CORRECTED_IMPORTANCE = 0.6
"""The least importance of a correction."""

_ALWAYS = frozenset({Kind.PREFERENCE, Kind.FACT})
"""The kinds of statements that can shape every answer. All such of 478 labelled ones are preferences; a disability may be a fact."""


@dataclass(frozen=True, slots=True)
class Origin:
    """The exchanges that the candidates of a batch come from, and how new memories are made of them.

    Attributes:
        asked: Turns in which the person asks to remember something.
        corrects: Turns in which they correct something.
        extractor: Which model found the candidates, by which version of the prompt.
        by_form: Whether no model found them, but the form of a command to remember them.
    """

    exchanges: Sequence[Exchange]
    embedding_model: str
    at: datetime
    new_id: Callable[[], UUID]
    asked: frozenset[int]
    corrects: frozenset[int]
    extractor: str | None
    by_form: bool = False

    def turn(self, weighed: AcceptedCandidate) -> Turn:
        """Return the turn that supports a candidate."""
        return self.exchanges[weighed.turn].turn

    def messages(self, weighed: AcceptedCandidate) -> tuple[UUID, ...]:
        """Return the messages of the log that a candidate rests on."""
        return (self.exchanges[weighed.turn].message_id,)

    def memory(self, weighed: AcceptedCandidate) -> Memory:
        """Return a new memory of a candidate, weighed and with its embedding."""
        candidate = weighed.candidate
        return replace(
            self.unweighed(candidate, weighed.turn),
            importance=self._importance(weighed),
            confidence=_share(candidate.confidence),
            embedding=weighed.vector,
            embedding_model=None if weighed.vector is None else self.embedding_model,
        )

    def unweighed(self, candidate: Candidate, turn: int) -> Memory:
        """Return a new memory of a candidate, without an embedding."""
        exchange = self.exchanges[turn]
        scope = exchange.turn.scope
        return Memory(
            id=self.new_id(),
            owner=scope.user_id,
            kind=candidate.kind,
            source=Source.EXTRACTED,
            content=candidate.content,
            importance=candidate.importance,
            confidence=candidate.confidence,
            observed_at=exchange.turn.at,
            created_at=self.at,
            event_at=candidate.event_at,
            holds_from=candidate.holds_from,
            holds_until=candidate.holds_until,
            tags=candidate.tags,
            provenance=Provenance(
                scope.session_id, (exchange.message_id,), candidate.evidence, self.extractor
            ),
            hints=plausible_hints(
                candidate.hints,
                candidate.kind,
                candidate.importance,
                is_general=candidate.subject is None and candidate.event_at is None,
            ),
        )

    def _importance(self, weighed: AcceptedCandidate) -> float:
        importance = _share(weighed.candidate.importance)
        if weighed.turn in self.asked:
            return max(importance, ASKED_IMPORTANCE)
        if weighed.turn in self.corrects:
            return max(importance, CORRECTED_IMPORTANCE)
        return importance


def plausible_hints(hints: Hints | None, kind: Kind, importance: float, *, is_general: bool) -> Hints | None:
    """Return hints with a ``use`` that fits the statement."""
    if hints is None:
        return None
    is_wrong = {
        # Every answer needs only statements about the person that hold on any day.
        Use.ALWAYS: not (is_general and kind in _ALWAYS),
        Use.TOPIC: False,
        Use.ASKED: importance >= VITAL,  # dangers are needed unasked
    }
    return replace(hints, use=Use.TOPIC) if is_wrong[hints.use] else hints


def _share(number: float) -> float:
    """Return a number clamped to 0 to 1; 0 for NaN."""
    return 0.0 if math.isnan(number) else min(1.0, max(0.0, number))


QUESTION_LENGTH = 1_000
"""The most characters of the user's words in a ``qa_turn``: several have to find place in a prompt."""

REPLY_LENGTH = 500
"""The most characters of the reply in a ``qa_turn``."""

# Mean Recall@10 of finding the exchange, over four sets of chats with the local embedder: 62.3 so, 58.2 with the question
# alone, 61.8 with the whole reply (which hurts most where preferences are asked for).
EMBEDDED_REPLY_LENGTH = 200
"""How many characters of the reply a ``qa_turn`` is embedded with."""

QA_TURN_IMPORTANCE = 0.3

_SPEAKER_LENGTH = 100


def qa_turn(
    exchange: Exchange,
    vector: Vector | None,
    embedding_model: str,
    *,
    at: datetime,
    new_id: Callable[[], UUID],
) -> Memory:
    """Return question and answer as one memory, without the secrets in them."""
    turn = exchange.turn
    return Memory(
        id=new_id(),
        owner=turn.scope.user_id,
        kind=Kind.QA_TURN,
        source=Source.QA_TURN,
        content=mask(qa_content(exchange)).text,
        importance=QA_TURN_IMPORTANCE,
        observed_at=turn.at,
        created_at=at,
        provenance=Provenance(turn.scope.session_id, (exchange.message_id, exchange.reply_id)),
        embedding=vector,
        embedding_model=None if vector is None else embedding_model,
    )


def qa_content(exchange: Exchange) -> str:
    """Return question and answer as one text, each named and of bounded length."""
    speaker = " ".join((exchange.turn.speaker or "").split())[:_SPEAKER_LENGTH]
    asking, answering = (speaker, "Assistant") if speaker else ("Q", "A")
    content = f"{asking}: {shorten(exchange.turn.text, QUESTION_LENGTH)}"
    if exchange.reply.strip():
        content += f"\n{answering}: {shorten(exchange.reply, REPLY_LENGTH)}"
    return content


def qa_embedding_text(exchange: Exchange) -> str:
    """Return the text by which a ``qa_turn`` is embedded."""
    return f"{exchange.turn.text}\n{shorten(exchange.reply, EMBEDDED_REPLY_LENGTH)}".strip()


def shorten(text: str, length: int) -> str:
    """Return ``text`` at most ``length`` characters long, cut behind a word, with an ellipsis."""
    clean = text.strip()
    if len(clean) <= length:
        return clean
    start = clean[: length - 2]
    whole = start if clean[length - 2].isspace() else start.rsplit(maxsplit=1)[0]
    return f"{(whole if len(whole) > length // 2 else start).rstrip()} …"
