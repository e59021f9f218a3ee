"""Asks a model about memories: which a person wants forgotten, when those without hints will be needed, and how a chat is summed up."""

import asyncio
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Annotated

from pydantic import BeforeValidator, ValidationError

from recollect.errors import InvalidExtractionError
from recollect.model import Disclosure, Hints, Material, Memory, Outline, Role, speaker_of
from recollect.models.extractors.chat_model import (
    ChatModel,
    Messages,
    Tells,
    ask_and_read,
    require_all,
    tell_all,
)
from recollect.models.extractors.json_answers import clean, find, index, lines_of, list_in, values_within
from recollect.models.extractors.prompt_files import (
    cut,
    fenced,
    memory_line,
    message_line,
    one_line,
    own_instructions,
    read_prompt,
    sendable,
    shares,
)
from recollect.models.extractors.schema import CHOICE, HINTS, SUMMARY, HintFields
from recollect.ports import Asker, Chosen, Hinted, Summarized
from recollect.text.patterns import bounded
from recollect.text.tokens import estimate_tokens

CHOICE_LIMIT = 200
"""The most memories one call chooses from; the others are not chosen."""

COMMAND_LENGTH = 2_000
"""The most characters shown of a command."""


@dataclass(frozen=True, slots=True)
class ModelJudge:
    """A Judge: one call a question, and one more where the answer can't be read."""

    model: ChatModel
    tells: Tells = tell_all

    async def choose(self, command: str, known: Sequence[Memory], asker: Asker) -> Chosen:
        """Return which memories a person means who asks, in these words, to forget something.

        Raises:
            ExtractorError: As ``Extractor.extract``; or the memories may not be sent to the model's server.
        """
        offered = known[:CHOICE_LIMIT]
        if not offered or not command.strip():
            return Chosen()
        require_all(self.tells, asker)
        read = await ask_and_read(
            self.model,
            choice_messages(command, offered),
            CHOICE,
            asker,
            lambda text: read_numbers(text, len(offered)),
        )
        return Chosen(read.content, read.tokens)


def choice_messages(command: str, known: Sequence[Memory]) -> Messages:
    """Return the messages that ask which memories are to be forgotten."""
    lines = [f"[{number}] {memory_line(memory)}" for number, memory in enumerate(known)]
    parts = [("Memories", "\n".join(lines)), ("The wish", one_line(command, COMMAND_LENGTH))]
    return [
        {"role": "system", "content": read_prompt("forgetting").filled(form=CHOICE.example)},
        {"role": "user", "content": sendable(fenced(parts))},
    ]


def read_numbers(text: str, count: int) -> tuple[int, ...]:
    """Return the numbers chosen out of ``count``, in rising order.

    Chosen memories are forgotten, so only a plain number counts: 2, "2" or "[2]".

    Raises:
        InvalidExtractionError: It holds no list of numbers.
    """
    items = find(text, lambda value: list_in(value, "numbers"))
    if items is None:
        raise InvalidExtractionError('It holds no JSON object with a list "numbers".')
    numbers = {_plain_number(item) for item in items}
    return tuple(number for number in range(count) if number in numbers)


def _plain_number(item: object) -> int | None:
    if isinstance(item, str):
        digits = item.strip().removeprefix("[").removesuffix("]")
        return (
            int(digits) if digits.isascii() and digits.isdecimal() and len(digits) <= len("999999") else None
        )
    return item if isinstance(item, int) and not isinstance(item, bool) else None


@dataclass(frozen=True, slots=True)
class ModelHinter:
    """A Hinter: one call for some statements, and one more if the answer can't be read."""

    model: ChatModel
    tells: Tells = tell_all

    def told(self, asker: Asker) -> Disclosure:
        """Return which statements may be sent to the model."""
        return self.tells(asker)

    async def hints(self, statements: Sequence[Memory], asker: Asker) -> Hinted:
        """Return the hints of statements, by their place; without those that may not be sent, or that the model left out.

        Raises:
            ExtractorError: As ``Extractor.extract``.
        """
        disclosure = self.told(asker)
        places = [place for place, each in enumerate(statements) if disclosure.allows(each)]
        if not places:
            return Hinted()
        # Masking twenty statements takes longer than the event loop may stand still.
        messages = await asyncio.to_thread(hint_messages, [statements[place] for place in places])
        read = await ask_and_read(self.model, messages, HINTS, asker, read_hints)
        found = {places[number]: hints for number, hints in read.content.items() if number < len(places)}
        return Hinted(found, read.tokens)


def hint_messages(statements: Sequence[Memory]) -> Messages:
    """Return the messages that ask when statements will be needed."""
    lines = [f"[{number}] {memory_line(each)}" for number, each in enumerate(statements)]
    return [
        {"role": "system", "content": read_prompt("hints").filled(form=HINTS.example)},
        {"role": "user", "content": sendable(fenced([("Memories", "\n".join(lines))]))},
    ]


class _Need(HintFields):
    number: Annotated[int, BeforeValidator(index)]


def read_hints(text: str) -> Mapping[int, Hints]:
    """Return the hints in an answer, by number, also in one that breaks off.

    Raises:
        InvalidExtractionError: It holds none.
    """
    items = find(text, lambda value: list_in(value, "needs"))
    if items is None:
        items = [each for each in values_within(text) if isinstance(each, dict) and "number" in each]
        if not items:
            raise InvalidExtractionError('It holds no JSON object with a list "needs".')
    needs = [need for item in items if (need := _need(item)) is not None]
    return {each.number: each.hints for each in needs if each.hints is not None}


def _need(item: object) -> _Need | None:
    try:
        return _Need.model_validate(item)
    except ValidationError:
        return None


SUMMARY_TOKENS = 200
"""The most tokens of a summary's text."""

PART_ITEMS = 20
"""The most items of each part of its outline."""

ITEM_LENGTH = 200
"""The most characters of each item."""

MESSAGE_LENGTH = 4_000
"""The most characters shown of a message."""

ALL_MESSAGES_LENGTH = 40_000
"""The most characters shown of all messages together."""

BEFORE_LENGTH = 4_000
"""The most characters shown of the last summary's text."""

_PARTS = tuple(part.name for part in fields(Outline))
_SENTENCE_END = bounded(r"[.!?…؟।]+[\"'»”’)]*(?=\s|$)|[。！？]+[」』”’）]*|\n")  # noqa: RUF001 - of many scripts
_WORD_END = bounded(r"(?<=\S)(?=\s)")


@dataclass(frozen=True, slots=True)
class ModelSummarizer:
    """A Summarizer: one call a summary, and one more where the answer can't be read."""

    model: ChatModel
    tells: Tells = tell_all

    async def summarize(self, material: Material, asker: Asker) -> Summarized:
        """Return a summary of the messages that includes the last summary.

        Raises:
            UpstreamPolicyError: The chat may not be sent to the model's server, where earlier turns were said to others.
            ExtractorError: As ``Extractor.extract``.
        """
        require_all(self.tells, asker)
        read = await ask_and_read(
            self.model, summary_messages(material, asker.share), SUMMARY, asker, read_summary
        )
        text, outline = read.content
        return Summarized(text, outline, read.tokens, read.by("summary"))


def summary_messages(material: Material, share: float = 1.0) -> Messages:
    """Return the messages that ask for a summary of ``material``; ``share``: the part of its messages' text that they show."""
    lengths = [min(len(message.text), MESSAGE_LENGTH) for message in material.messages]
    room = zip(
        material.messages, shares(lengths, int(share * min(ALL_MESSAGES_LENGTH, sum(lengths)))), strict=True
    )
    speakers = list(
        dict.fromkeys(
            speaker_of(each.speaker) for each in material.messages if each.role is Role.USER and each.speaker
        )
    )
    several = len(speakers) > 1
    parts = [
        ("The summary so far", cut(material.before, BEFORE_LENGTH)),
        ("Its parts", "\n".join(_outline_lines(material.outline))),
        (
            "What was said since",
            "\n".join(message_line(message, length, named=several) for message, length in room),
        ),
    ]
    known = [("Date of the last message", material.at.date().isoformat() if material.at else "")]
    known += [("Names of the persons" if several else "Name of the person", ", ".join(speakers))]
    head = "".join(f"{title}: {' '.join(text.split())[:100]}\n" for title, text in known if text)
    return [
        {"role": "system", "content": read_prompt("summary").filled(form=SUMMARY.example)},
        {
            "role": "user",
            "content": own_instructions(material.guidance) + sendable(f"{head}\n{fenced(parts)}".lstrip()),
        },
    ]


def _outline_lines(outline: Outline) -> list[str]:
    return [
        f"{part}: {' '.join(item.split())[:ITEM_LENGTH]}"
        for part in _PARTS
        for item in getattr(outline, part)[:PART_ITEMS]
    ]


def read_summary(text: str) -> tuple[str, Outline]:
    """Return the text and the parts of the summary that a model answered, each cut to its limit.

    Raises:
        InvalidExtractionError: It holds no summary.
    """
    answer = find(text, _summary_of)
    if answer is None:
        raise InvalidExtractionError('It holds no JSON object with a text "summary".')
    written = clean(answer["summary"]) or ""
    if not any(character.isalnum() for character in written):
        raise InvalidExtractionError('Its "summary" is empty.')
    return shortened(written, SUMMARY_TOKENS), Outline(
        **{part: tuple(lines_of(answer.get(part), PART_ITEMS, ITEM_LENGTH)) for part in _PARTS}
    )


def _summary_of(value: object) -> dict[str, object] | None:
    return value if isinstance(value, dict) and isinstance(value.get("summary"), str) else None


def shortened(text: str, tokens: int) -> str:
    """Return ``text`` at most ``tokens`` long: cut behind a sentence, or a word where sentences are long."""
    if estimate_tokens(text) <= tokens:
        return text
    sentences = text[
        : _fitting(text, [found.end() for found in _SENTENCE_END.finditer(text)], tokens)
    ].rstrip()
    room = tokens - estimate_tokens(" …")
    longest = _fitting(text, range(1, len(text)), room)
    if len(sentences) >= longest // 2:
        return sentences
    words = _fitting(text, [found.end() for found in _WORD_END.finditer(text)], room)
    return f"{text[: words if words >= longest // 2 else longest].rstrip()} …"


def _fitting(text: str, ends: Sequence[int], tokens: int) -> int:
    """Return the last of ``ends`` (rising) up to which ``text`` is at most ``tokens`` long; 0 if none is."""
    fits = bisect_right(ends, tokens, key=lambda end: estimate_tokens(text[:end]))
    return ends[fits - 1] if fits else 0
