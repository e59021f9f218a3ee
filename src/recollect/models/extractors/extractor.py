"""Asks a model for the statements in a person's messages."""

from collections.abc import Sequence
from dataclasses import replace

from cachetools import LRUCache

from recollect.model import Exchange, Memory, several_speakers, speaker_of
from recollect.model.local_time import wall
from recollect.models.extractors.chat_model import ChatModel, Messages, Tells, ask_and_read, tell_all
from recollect.models.extractors.extraction_answer import read_answer, with_rest
from recollect.models.extractors.prompt_files import (
    Instructions,
    cut,
    digest,
    fenced,
    memory_line,
    message_line,
    own_instructions,
    read_prompt,
    sendable,
    shares,
)
from recollect.models.extractors.schema import extraction_schema
from recollect.ports import Asker, Extracted
from recollect.text.tokens import estimate_tokens

WORDS_LENGTH = 12_000
"""The most characters shown of a message of the person; of longer ones the beginning and the end."""

ALL_WORDS_LENGTH = 24_000
"""The most characters shown of all messages of a batch together."""

REPLY_LENGTH = 1_200
"""The most characters shown of a reply that the person may be confirming: in the batch, and the last one before it."""

ALL_REPLIES_LENGTH = 6_000
"""The most characters shown of all replies of a batch together."""

LEAST_LENGTH = 2_000
"""Characters of the messages that are always shown, also if less is asked for: they are the matter of the call."""

HISTORY_MESSAGES = 4
"""How many earlier messages are shown."""

HISTORY_LENGTH = 400
"""The most characters shown of each of them but the last."""

LEAST_ANSWER, MOST_ANSWER = 1_000, 4_096
"""Between how many tokens an answer may take."""

_ANSWER_OF_A_TOKEN = 20
"""Tokens of an answer for each of the person's: where each five words state something, with all its fields."""

_THINKING_KEPT = 256
_NO_INSTRUCTIONS = Instructions()
_SEVERAL = "In `subject` stands who wrote the message, or of whom else it tells."


class ModelExtractor:
    """An Extractor: one call a batch, and one more where the answer can't be read.

    Args:
        instructions: The operator's additions to the prompt, by the model that the person talks to.
        tells: The part of a person's memory that the model's server may see.
        tags: The operator's tags, of which the model chooses.
    """

    def __init__(
        self,
        model: ChatModel,
        instructions: Instructions = _NO_INSTRUCTIONS,
        tells: Tells = tell_all,
        tags: tuple[str, ...] = (),
    ) -> None:
        self._tags = tags
        self._tells = tells
        self._model = model
        self._instructions = instructions
        self._thinking: LRUCache[str, bool] = LRUCache(_THINKING_KEPT)

    async def extract(self, exchanges: Sequence[Exchange], known: Sequence[Memory]) -> Extracted:
        """Return the candidates of one chat's consecutive ``exchanges``; ``Candidate.about`` indexes ``known``.

        Where the person said nothing at all, no one is asked. Errors are those of the port.
        """
        if not any(exchange.turn.text.strip() for exchange in exchanges):
            return Extracted()
        last = exchanges[-1].turn
        guidance = exchanges[-1].guidance
        instructions = "\n\n".join(
            filter(None, (self._instructions.for_model(last.model), guidance.operators))
        )
        asker = _asker(exchanges)
        disclosure = self._tells(asker)
        if not disclosure.history:
            exchanges = [replace(each, turn=replace(each.turn, history=())) for each in exchanges]
        places = [place for place in range(len(known)) if disclosure.allows(known[place])]
        places.sort(key=lambda place: known[place].id)
        read = await ask_and_read(
            self._model,
            extraction_messages(exchanges, [known[place] for place in places], instructions, self._tags),
            extraction_schema(self._tags),
            asker,
            lambda text: read_answer(
                text,
                at=wall(last.at),
                known=len(places),
                name=None if several_speakers(exchanges) else last.speaker,
                tags=self._tags,
            ),
            None if last.model in self._thinking else answer_tokens(exchanges),
            lambda each: each.is_whole,
            with_rest,
        )
        if read.thinks:
            self._thinking[last.model] = True
        told_to = instructions + guidance.own
        by = read.by("extraction") + (f"+instructions-{digest(told_to)}" if told_to else "")
        return replace(_as_given(read.content, places), tokens=read.tokens, by=by)

    async def aclose(self) -> None:
        """Free the model's resources."""
        await self._model.aclose()


def extraction_messages(
    exchanges: Sequence[Exchange],
    known: Sequence[Memory],
    instructions: str = "",
    tags: tuple[str, ...] = (),
) -> Messages:
    """Return the messages that ask for the candidates of ``exchanges``, of which there is at least one.

    Parts that stay the same in a chat's next call come first: a server with a prompt cache goes on after them. The operator's
    instructions are in everybody's system prompt; a person's own come behind that. The reply to the
    last message is not shown: nothing of the person's follows it yet.
    """
    parts = [
        ("Existing memories, numbered", "\n".join(_numbered(known))),
        ("Earlier in this chat, only to understand what follows", "\n".join(_history(exchanges))),
        *_messages(exchanges),
    ]
    name = _names(exchanges)
    form = extraction_schema(tags).example
    prompt = read_prompt("extraction").filled(form=form, instructions=instructions, tags=tags)
    return [
        {"role": "system", "content": prompt},
        {
            "role": "user",
            "content": own_instructions(exchanges[-1].guidance) + sendable(name + fenced(parts)),
        },
    ]


def _names(exchanges: Sequence[Exchange]) -> str:
    """Return the line that says who speaks; "" where no one knows."""
    if several := several_speakers(exchanges):
        return f"Several people write here: {', '.join(several)}. {_SEVERAL}\n\n"
    speakers = [name for exchange in exchanges if (name := speaker_of(exchange.turn.speaker))]
    return f"Name of the person: {speakers[-1]}\n\n" if speakers else ""


def _numbered(known: Sequence[Memory]) -> list[str]:
    return [f"[{number}] {memory_line(memory)}" for number, memory in enumerate(known)]


def _history(exchanges: Sequence[Exchange]) -> list[str]:
    shown = exchanges[0].turn.history[-HISTORY_MESSAGES:]
    lengths = [*[HISTORY_LENGTH] * (len(shown) - 1), REPLY_LENGTH]
    named = bool(several_speakers(exchanges))
    return [
        message_line(message, length, named=named) for message, length in zip(shown, lengths, strict=False)
    ]


def _messages(exchanges: Sequence[Exchange]) -> list[tuple[str, str]]:
    several = several_speakers(exchanges)
    share = min(exchange.share for exchange in exchanges)
    replies = [*(exchange.reply for exchange in exchanges[:-1]), ""]
    words = [min(len(each.turn.text), WORDS_LENGTH) for each in exchanges]
    answers = [min(len(reply), REPLY_LENGTH) for reply in replies]
    words_room = shares(words, max(LEAST_LENGTH, int(share * min(ALL_WORDS_LENGTH, sum(words)))))
    reply_room = shares(answers, int(share * min(ALL_REPLIES_LENGTH, sum(answers))))
    parts = []
    for number, exchange in enumerate(exchanges, 1):
        turn, reply = exchange.turn, replies[number - 1]
        by = f" by {speaker_of(turn.speaker)}" if several and turn.speaker else ""
        title = f"Message {number}{by}, {turn.at:%A %Y-%m-%d %H:%M}"
        parts.append((title, cut(turn.text, words_room[number - 1])))
        parts.append((f"The assistant's reply to message {number}", cut(reply, reply_room[number - 1])))
    return parts


def answer_tokens(exchanges: Sequence[Exchange]) -> int:
    """Return how many tokens an answer on these may take: what can be said of the person's words, and not much more.

    A local model that repeats itself without end is cut off by it.
    """
    said = sum(estimate_tokens(cut(exchange.turn.text, WORDS_LENGTH)) for exchange in exchanges)
    return min(MOST_ANSWER, LEAST_ANSWER + _ANSWER_OF_A_TOKEN * said)


def _as_given(found: Extracted, places: Sequence[int]) -> Extracted:
    """Return an answer with the numbers of the memories as they were given; ``places`` has them in the order shown."""

    def given(numbers: tuple[int, ...]) -> tuple[int, ...]:
        return tuple(places[number] for number in numbers)

    candidates = (
        replace(each, about=given(each.about), ends=given(each.ends), unsettles=given(each.unsettles))
        for each in found.candidates
    )
    commands = (replace(each, about=given(each.about)) for each in found.commands)
    return replace(found, candidates=tuple(candidates), commands=tuple(commands))


def _asker(exchanges: Sequence[Exchange]) -> Asker:
    """Return the asker: with the newest exchange's model and the newest known credential."""
    last = exchanges[-1]
    credentials = [exchange.credential for exchange in exchanges if exchange.credential is not None]
    return Asker(
        user_id=last.turn.scope.user_id,
        model=last.turn.model,
        authorized=any(exchange.authorized for exchange in exchanges),
        credential=credentials[-1] if credentials else None,
        share=min(exchange.share for exchange in exchanges),
        upstream=last.turn.upstream,
    )
