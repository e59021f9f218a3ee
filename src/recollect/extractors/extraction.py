"""Asks a model for the statements in what a person said. Never: which server, what becomes of a candidate."""

from collections.abc import Sequence

from recollect.extractors.answer import read_answer
from recollect.extractors.asking import Messages, Model
from recollect.extractors.fencing import cut, described, fenced, said, sendable, shares
from recollect.extractors.instructions import Instructions, digest
from recollect.extractors.prompts import read_prompt
from recollect.extractors.repairing import ask_and_read
from recollect.extractors.schema import EXTRACTION
from recollect.model import Exchange, Memory
from recollect.ports import Asker, Extracted

WORDS_LENGTH = 12_000
"""The most characters shown of a message of the person; of longer ones the beginning and the end."""

ALL_WORDS_LENGTH = 24_000
"""The most characters shown of all messages of a batch together."""

REPLY_LENGTH = 2_000
"""The most characters shown of a reply: of those in the batch, and of the last one before it."""

ALL_REPLIES_LENGTH = 6_000
"""The most characters shown of all replies of a batch together."""

LEAST_LENGTH = 2_000
"""Characters of the messages that are shown in any case, also where less is asked for: they are what it is about."""

HISTORY_MESSAGES = 6
"""How many earlier messages are shown."""

HISTORY_LENGTH = 600
"""The most characters shown of each of them but the last, which the person may be confirming."""

_NO_INSTRUCTIONS = Instructions()


class ModelExtractor:
    """An Extractor: one call a batch, and one more where the answer can't be read.

    Args:
        model: Whom it asks.
        instructions: What the operator tells besides the prompt, by the model the person talks to.
    """

    def __init__(self, model: Model, instructions: Instructions = _NO_INSTRUCTIONS) -> None:
        self._model = model
        self._instructions = instructions

    async def extract(self, exchanges: Sequence[Exchange], known: Sequence[Memory]) -> Extracted:
        """Return the candidates of one chat's consecutive ``exchanges``; ``Candidate.about`` indexes ``known``.

        Where the person said nothing at all, nobody is asked.

        Raises:
            ExtractorUnusableError: There is no model to ask.
            InvalidExtractionError: It answered, but unreadably, also after a repair.
            ExtractorError: It failed or can't be reached; trying again may help.
        """
        if not any(exchange.turn.text.strip() for exchange in exchanges):
            return Extracted()
        last = exchanges[-1].turn
        instructions = self._instructions.for_model(last.model)
        read = await ask_and_read(
            self._model,
            extraction_messages(exchanges, known, instructions),
            EXTRACTION,
            _asker(exchanges),
            lambda text: read_answer(text, at=last.at, known=len(known)),
        )
        by = read.by("extraction") + (f"+instructions-{digest(instructions)}" if instructions else "")
        return Extracted(tuple(read.content), tokens=read.tokens, by=by)

    async def aclose(self) -> None:
        """Let go of what the model holds."""
        await self._model.aclose()


def extraction_messages(
    exchanges: Sequence[Exchange], known: Sequence[Memory], instructions: str = ""
) -> Messages:
    """Return the messages that ask for the candidates of ``exchanges``, of which there is at least one.

    Args:
        exchanges: Of one chat, oldest first.
        known: Existing memories.
        instructions: What the operator tells besides the prompt.
    """
    parts = [
        ("Existing memories, numbered", "\n".join(_numbered(known))),
        ("Earlier in this chat, only to understand what follows", "\n".join(_history(exchanges[0]))),
        *_messages(exchanges),
    ]
    speakers = [" ".join(exchange.turn.speaker.split()) for exchange in exchanges if exchange.turn.speaker]
    name = f"Name of the person: {speakers[-1][:100]}\n\n" if speakers else ""
    prompt = read_prompt("extraction").filled(form=EXTRACTION.example, instructions=instructions)
    return [
        {"role": "system", "content": prompt},
        {"role": "user", "content": sendable(name + fenced(parts))},
    ]


def _numbered(known: Sequence[Memory]) -> list[str]:
    return [f"[{number}] {described(memory)}" for number, memory in enumerate(known)]


def _history(exchange: Exchange) -> list[str]:
    shown = exchange.turn.history[-HISTORY_MESSAGES:]
    earlier = [said(message, HISTORY_LENGTH) for message in shown[:-1]]
    return earlier + [said(message, REPLY_LENGTH) for message in shown[-1:]]


def _messages(exchanges: Sequence[Exchange]) -> list[tuple[str, str]]:
    words = [min(len(exchange.turn.text), WORDS_LENGTH) for exchange in exchanges]
    replies = [min(len(exchange.reply), REPLY_LENGTH) for exchange in exchanges]
    share = min(exchange.share for exchange in exchanges)
    room = zip(
        shares(words, max(LEAST_LENGTH, int(share * min(ALL_WORDS_LENGTH, sum(words))))),
        shares(replies, int(share * min(ALL_REPLIES_LENGTH, sum(replies)))),
        strict=True,
    )
    parts = []
    for number, (exchange, (of_words, of_reply)) in enumerate(zip(exchanges, room, strict=True), 1):
        turn = exchange.turn
        parts.append((f"Message {number}, {turn.at:%A %Y-%m-%d %H:%M}", cut(turn.text, of_words)))
        parts.append((f"The assistant's reply to message {number}", cut(exchange.reply, of_reply)))
    return parts


def _asker(exchanges: Sequence[Exchange]) -> Asker:
    """Return on whose behalf is asked: the newest exchange's model, by the newest credential at hand."""
    last = exchanges[-1]
    credentials = [exchange.credential for exchange in exchanges if exchange.credential is not None]
    return Asker(
        user_id=last.turn.scope.user_id,
        model=last.turn.model,
        authorized=any(exchange.authorized for exchange in exchanges),
        credential=credentials[-1] if credentials else None,
        share=min(exchange.share for exchange in exchanges),
    )
