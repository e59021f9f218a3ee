"""Reads a message: the person's own words, and the pieces that are not. Pure, in linear time.

Recall's question, the index of the log, formation, and the ids of chats and messages all use this reading.
"""

import re
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from recollect.model import Exchange, Message, Role
from recollect.text.attribution.code_and_log_lines import (
    code_blocks,
    fenced_code,
    injected_lines,
    returned_lines,
)
from recollect.text.attribution.marked_blocks import (
    comments,
    labelled_files,
    notices,
    numbered_blocks,
    paired_blocks,
    ruled_blocks,
    without_frame,
)
from recollect.text.attribution.quotes import images, quotations, quoted_lines
from recollect.text.attribution.text_spans import (
    GAP,
    Piece,
    PieceKind,
    Span,
    blanked,
    in_order,
    joined,
    pieces,
    tidy,
    without,
)
from recollect.text.lexical.letters import ends_asking, last_question
from recollect.text.patterns import anchored, bounded, replaced

# ruff: noqa: RUF001 - people speak many languages


_MOST_WORDS, _LONGEST_YES = 12, 120
_LONGEST = 600
_NEAR_END = 200
"""Characters at the end of an answer within which its last question begins."""
_ONLY_ASKS = 40
"""Characters of a question that only asks whether the text before it is right."""
_YES = anchored(
    r"[\W_]{0,20}(?:(?:oh|ah|ach|haha|well|ok(?:ay)?|bueno|ну|啊|嗯)[ ,.!…，。]+){0,2}"
    r"(?:(?:yes|yeah|yep|yup|ja|jep|jo|genau|oui|ouais|sí|si|sim|sì|da|да|tak|evet|haan?|نعم|أجل|ايوه|صحيح|بالضبط|exactly|correct|right|true|precisely|indeed|absolutely|stimmt|richtig|korrekt|exactement|exact"
    r"|c'est (?:ça|exact|vrai|juste)|tout à fait|exacto|exactamente|correcto|así es|eso es|esatto|esattamente|giusto|exato|exatamente|isso(?: mesmo)?|certo|dokładnie|zgadza się|doğru|aynen|верно|точно|sahi|bilkul"
    r"|that(?:'s| is) (?:right|correct|true|it|me)|you(?:'re| are) right|(?:das )?stimmt|das bin ich|so ist es|spot on)(?!\w)"
    r"|是的|是啊|没错|沒錯|对的?(?=[，。,!！]|$)|正确|就是|はい|うん|そうです|その通り|そう(?=[、。]|$)|네(?=[,. !]|$)|예(?=[,. !]|$)|응(?=[,. !]|$)|맞아|맞습니다|그렇습니다)",
    re.IGNORECASE,
)
"""The beginnings of a confirmation: a closed class of each language."""
_NO = anchored(
    r"[\W_]{0,20}(?:(?:no|nope|not|never|none|nein|nicht|nee|nie|niemals|non|pas|jamais|ni|nunca|não|nem|mai|neanche|żadn\w*|hayır|değil|yok|nahi|nahin|нет|не|ни|لا|ليس|مش|wrong|falsch|faux|falso|thanks?|danke|merci|gracias|grazie)(?!\w)"
    r"|不|没(?!错)|非|いいえ|いや|違|ちが|아니|谢|ありがとう|감사)",
    re.IGNORECASE,
)
"""The beginnings of no confirmation, however short."""
_SHORT = 3
"""Words that confirm in any language, unless they deny."""
_HUM = anchored(r"[\W_]{0,20}[aeiou\u00e4\u00f6\u00fc]{0,2}[hm\u0445\u043c]{1,20}[\W_]{0,20}$", re.IGNORECASE)
"""A sound of h and m, with a vowel or two before them. "Oo", "joo", "opo" are yeses somewhere."""
_SENTENCE_END = bounded("[.!?\u2026\n\u3002\uff01\uff1f\u061f]+")
_WORD = bounded(r"[\u3040-\u30ff\u3400-\u9fff]{1,2}|\w+")


def confirmed_words(authored: str, history: Sequence[Message]) -> str:
    """Return the assistant's last words, where the person's own words open with a yes, or are hardly a word.

    The answer has to be short or to hold a question near its end: "ok" to a long proposal confirms nothing about the person. Of
    a long one only the last 600 characters of the paragraph with the question are confirmed; and the text before it, if the
    question is a mere "is that right?". The model decides whether the yes answers the part that it quotes.
    """
    if not history or history[-1].role is not Role.ASSISTANT or not _is_yes(authored):
        return ""
    said = history[-1].text.strip()
    return said if len(said) <= _LONGEST else _question_in(said)


def _opens_with_yes(text: str) -> bool:
    return bool(_YES.match(_normalized(text)))


def is_hum(text: str) -> bool:
    """Return True for a sound such as "hm" or "mhm", which confirms nothing."""
    return bool(_HUM.match(text)) and not _opens_with_yes(text)


def is_no(text: str) -> bool:
    """Return True for a no, or thanks, with nothing behind it."""
    plain = _normalized(text)
    found = _NO.match(plain)
    return found is not None and not any(map(str.isalnum, plain[found.end() :]))


def _normalized(text: str) -> str:
    return text.replace("\u2019", "'")


def _question_in(said: str) -> str:
    """Return the words that lead up to the last question near the end; else ""."""
    tail = said[-_NEAR_END:]
    last = last_question(tail)
    if last < 0:
        return ""
    asked = said[: len(said) - len(tail) + last + 1]
    paragraph = asked.rpartition("\n\n")[2].strip()
    return (paragraph if len(paragraph) >= _ONLY_ASKS else asked.strip())[-_LONGEST:]


def _is_yes(authored: str) -> bool:
    plain = unicodedata.normalize("NFC", authored[: 2 * _LONGEST]).replace("\u2019", "'").strip()
    end = _SENTENCE_END.search(plain)
    first, rest = (plain[: end.start()], plain[end.end() :]) if end else (plain, "")
    if ends_asking(first + end[0][:1] if end else first):
        return False
    words = len(_WORD.findall(first)) if len(first) <= _LONGEST_YES else _MOST_WORDS + 1
    return (_opens_with_yes(first) and words <= _MOST_WORDS) or (
        0 < words <= _SHORT and not rest and not _NO.match(first) and not is_hum(first)
    )


WITHIN = "\u2026"
"""Replaces words that were cut out of a sentence: the gap stays visible."""
_SHOWN_BEHIND = "end of "
_UNMARKED = bounded(
    r"(?:[^\W_]|[ ,.!?'\u2019\u00bf\u00a1\u060c\u061f\u3001\u3002\uff0c\uff01\uff1f]|-(?=\w))*"
)
"""A line of letters, digits and the marks of ordinary sentences, in which no piece begins."""


@dataclass(frozen=True, slots=True)
class Reading:
    """A message as it was read.

    Attributes:
        text: The message.
        pieces: The pieces by others, in order, without overlaps.
    """

    text: str
    pieces: tuple[Piece, ...]

    @property
    def own(self) -> str:
        """The person's own words; "" where there are none."""
        return self._with(
            lambda piece: "" if piece.kind is PieceKind.IMAGE else WITHIN if piece.inline else GAP
        )

    @property
    def shown(self) -> str:
        """The message for a model that looks for statements: marks replace the pieces, doubtful words are kept between two marks."""
        return self._with(self._own_words_in)

    @property
    def question(self) -> str:
        """The words that ask for something: the person's own, with the code and the titles in them."""
        is_asked = (PieceKind.CODE, PieceKind.QUOTED)
        return self._with(
            lambda piece: (
                self.text[piece.start : piece.end]
                if piece.kind is PieceKind.CODE or (piece.inline and piece.kind in is_asked)
                else GAP
            )
        )

    @property
    def elsewhere(self) -> tuple[str, ...]:
        """The pieces' texts."""
        found = (self.text[piece.start : piece.end].strip() for piece in self.pieces)
        return tuple(filter(None, found))

    @property
    def quoted(self) -> tuple[str, ...]:
        """The quotations within sentences: perhaps words of the person, perhaps of others."""
        return tuple(
            self.text[each.start : each.end] for each in self.pieces if each.is_quotation and not each.is_sure
        )

    @property
    def doubtful(self) -> tuple[str, ...]:
        """The pieces that people write, too: a model is shown them, and decides whose words they are."""
        return tuple(
            self.text[each.start : each.end]
            for each in self.pieces
            if not each.is_sure and not each.is_quotation
        )

    def _own_words_in(self, piece: Piece) -> str:
        if piece.kind is PieceKind.OURS:
            return GAP
        words = self.text[piece.start : piece.end]
        if piece.inline:
            return words if not piece.is_sure else f"[{piece.kind}]"
        if piece.is_sure:
            return f"{GAP}[{piece.kind}]{GAP}"
        return f"{GAP}[{piece.kind}]\n{words.strip()}\n[{_SHOWN_BEHIND}{piece.kind}]{GAP}"

    def _with(self, in_place: Callable[[Piece], str]) -> str:
        left = replaced(self.text, ((each.start, each.end, in_place(each)) for each in self.pieces))
        return tidy(left.replace("\r\n", "\n"))


def read_message(text: str, injected: Sequence[str] = ()) -> Reading:
    """Read a message of a person, with the blocks that were added to prompts of its chat."""
    if _UNMARKED.fullmatch(text):  # most questions
        return Reading(text, ())
    left = text.replace("\r\n", " \n")
    stages: tuple[Callable[[str], list[Piece]], ...] = (
        images,
        notices,
        paired_blocks,
        comments,
        lambda text: pieces(returned_lines(text, injected), PieceKind.OURS),
        lambda text: pieces(code_blocks(text), PieceKind.CODE),
        numbered_blocks,
        labelled_files,
        quoted_lines,
        ruled_blocks,
        quotations,
    )
    found: list[Piece] = []
    for stage in stages:
        new = list(in_order(stage(left)))
        found += new
        left = blanked(left, new) if new else left
    return Reading(text, tuple(in_order(found)))


_PASTED = 200
"""Characters of a quotation that is a text of its own; a shorter one is a part of a sentence."""

_LEAST = 40
"""The least characters of a pasted text that a question may be about."""

_READ_BEGINNING, _READ_END = 27_000, 13_000
"""Characters of a message that are read: people explain a pasted book before or after it. After the text by others is cut out, a
model reads 12,000 at most."""

_ASKED = 2_000
"""Characters at either end of a message that are read for its question; recall keeps fewer of them."""

_ASKED_BEFORE, _ASKED_BEHIND = 400, 800
"""Characters before and behind a pasted text that recall keeps of a question: about as many as an embedder reads."""

_READ_OF_ANSWER = 4_000
"""The most characters read of the assistant's last message."""


@dataclass(frozen=True, slots=True)
class Attribution:
    """The words of a message, attributed to those who wrote them.

    Attributes:
        authored: The person's own words; "" if there are none.
        injected: The lines that were added to prompts of the chat, without their labels and dates.
        confirmed: The assistant's last words, if the person confirms them with this message; else "".
        elsewhere: The pieces that were cut out of the message, as they are not the person's, in the order found.
        answered: The assistant's last message before this one, confirmed or not.
        speaker: The name of the person who said it; "" if unknown.
        others: The names of the others, if several people speak in the chat.
        quoted: The words in quotation marks within the person's sentences.
        doubtful: The marked pieces of a message that has nothing else, if people make such marks, too; else "".
        shown: The message as an extractor is shown it: with a mark for each piece, and between marks the words of which it is
            not certain whose they are.
    """

    authored: str
    injected: tuple[str, ...]
    confirmed: str = ""
    elsewhere: tuple[str, ...] = ()
    answered: str = ""
    speaker: str = ""
    others: tuple[str, ...] = ()
    quoted: tuple[str, ...] = ()
    doubtful: str = ""
    shown: str = field(default="", compare=False)

    def outside_quotations(self, quote: str) -> str:
        """Return a quote of the message as the person's own words have it, with a mark for each quotation in it."""
        for words in self.quoted:
            quote = quote.replace(words, WITHIN)
        return quote


def attribute(exchange: Exchange) -> Attribution:
    """Return which words of an exchange are the person's own; of more than 40,000 characters the first 27,000 and the last 13,000 are read."""
    reading = read_message(_ends_of(exchange.turn.text), exchange.injected)
    authored = reading.own
    return Attribution(
        authored,
        injected_lines(exchange.injected),
        confirmed_words(authored, exchange.turn.history),
        reading.elsewhere,
        exchange.turn.last_answer[-_READ_OF_ANSWER:],  # the end asks and sums up
        quoted=reading.quoted,
        doubtful="" if any(map(str.isalnum, authored)) else GAP.join(reading.doubtful),
        shown=reading.shown,
    )


def question_in(text: str) -> str:
    """Return the words of a message that ask for something; the message itself if none of them is the person's.

    Of more than 4,000 characters the first and the last 2,000 are read, without the elements around them.
    """
    ends = _ends_asked(text)
    return read_message(ends).question or ends


def pasted_in(text: str) -> str:
    """Return the texts quoted on lines of their own that a message asks about, such as a mail; "" if they are short, or it is nothing else.

    Files, code, and the words that programs put around a message are not quoted.
    """
    if len(text) < _LEAST or "\n" not in text:  # most questions: to read one again takes a tenth of its turn
        return ""
    reading = read_message(_ends_asked(text))
    quoted = [each for each in reading.pieces if each.kind is PieceKind.QUOTED and not each.inline]
    pasted = "\n".join(reading.text[each.start : each.end] for each in quoted)
    return asking_ends(pasted) if reading.question and len(pasted) >= _LEAST else ""


def _ends_asked(text: str) -> str:
    return _ends_of(without_frame(text), _ASKED, _ASKED) if len(text) > 2 * _ASKED else text


def asking_ends(text: str) -> str:
    """Return a question; of one that is longer than recall keeps, the beginning and the end, around a pasted text."""
    if len(text) <= _ASKED_BEFORE + _ASKED_BEHIND:
        return text
    return f"{text[:_ASKED_BEFORE]}\n{text[-_ASKED_BEHIND:]}"


def others_words(text: str) -> tuple[list[Span], list[Span]]:
    """Return the spans of a message that others wrote: whole pieces, and short quotations within the person's sentences.

    Fenced code is neither: recall finds it as code, and never as a statement. The middle of a very long message, which is not
    read, counts as others'.
    """
    found = read_message(text).pieces
    fenced = fenced_code(text)
    within = [each for each in found if each.inline and each.end - each.start < _PASTED]
    spans = [(each.start, each.end) for each in found if each not in within]
    if len(text) > _READ_BEGINNING + _READ_END:
        spans.append((_READ_BEGINNING, len(text) - _READ_END))
    whole = without(joined(sorted(spans)), fenced)
    return whole, without([(each.start, each.end) for each in within], whole)


def _ends_of(text: str, beginning: int = _READ_BEGINNING, end: int = _READ_END) -> str:
    """Return a text; of a long one the beginning and the end, with a gap between."""
    return text if len(text) <= beginning + end else f"{text[:beginning]}{GAP}{text[-end:]}"
