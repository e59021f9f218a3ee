"""Keeps an exchange verbatim where no model extracts statements from it."""

from collections.abc import Callable
from datetime import datetime
from uuid import UUID

from recollect.model import Exchange, Kind, Memory, Provenance, Source, Vector
from recollect.text.secrets import mask

QUESTION_LENGTH = 1_000
"""The most characters of the user's words in a ``qa_turn``: several have to find place in a prompt."""

REPLY_LENGTH = 500
"""The most characters of the reply in a ``qa_turn``."""

EMBEDDED_REPLY_LENGTH = 200
"""How many characters of the reply a ``qa_turn`` is embedded with.

Mean Recall@10 of finding the exchange, over four sets of chats with the local embedder: 62.3 so, 58.2
with the question alone, 61.8 with the whole reply (which hurts most where preferences are asked for).
"""

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
    """Return what a ``qa_turn`` is embedded by."""
    return f"{exchange.turn.text}\n{shorten(exchange.reply, EMBEDDED_REPLY_LENGTH)}".strip()


def shorten(text: str, length: int) -> str:
    """Return ``text`` at most ``length`` characters long, cut behind a word, with an ellipsis."""
    clean = text.strip()
    if len(clean) <= length:
        return clean
    start = clean[: length - 2]
    whole = start if clean[length - 2].isspace() else start.rsplit(maxsplit=1)[0]
    return f"{(whole if len(whole) > length // 2 else start).rstrip()} …"
