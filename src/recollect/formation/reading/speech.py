"""Finds what others say within a person's own sentences, letters passed on, texts to be judged. Pure. Never: mails' heads.

Who speaks is told by the form: somebody, a verb of saying, a colon; a salutation behind the person's own words; a
question about "this text", and a text on the lines below.
"""

from collections.abc import Iterator

from recollect.formation.reading.cutting import GAP, Span, lines_of
from recollect.formation.word_lists.speaking import (
    ASKS_OPINION,
    ASKS_REPLY,
    OWN_SPEAKING,
    OWN_SPEAKING_UNSPACED,
    OWN_TEXT,
    POINTS_AT_TEXT,
    SALUTATION,
    SIGNED,
    SPEAKS,
    SPEAKS_UNSPACED,
)
from recollect.patterns import bounded

_READ = 20_000
_LONGEST = 600
_SENTENCE_END = bounded("[.!?\u2026]+(?=\\s|$)|[\u3002\uff01\uff1f]|\n")
_SENTENCE_BEGIN = bounded("(?s:.*)[.!?\u2026\n\u3002\uff01\uff1f]")
_SHORT = 200
"""Characters of a question in front of a text, or behind it, at most."""
_TEXT = 100
"""Characters of a text that is judged, where nothing but "this" says that there is one."""
_TEXT_SENTENCES = 2
_TRIES = 20
_LEAST = 8
_ASKING = ("?", "\uff1f")
_NO_SPACE = bounded(r"\S")


def others_speech(text: str) -> list[Span]:
    """Return where somebody else speaks in the person's own sentences: "Tom said: I hate Mondays".

    What follows belongs to the one who speaks up to the sentence's end. Of the text the first 20,000 characters
    are read.
    """
    text = text[:_READ]
    return sorted([*_spoken(text), *_spoken_unspaced(text)])


def passed_on(text: str) -> list[Span]:
    """Return where letters stand that somebody wrote, and texts of which an opinion or an answer is asked.

    A letter has a salutation behind words of the person, and their wish to answer it, or a signature. Of the
    text the first 20,000 characters are read.
    """
    text = text[:_READ]
    letter = _letter(text)
    if letter:
        return [letter]
    judged = _judged(text)
    return [judged] if judged else []


def _spoken(text: str) -> Iterator[Span]:
    for speaking in SPEAKS.finditer(text):
        begin = speaking.start("says")
        before = text[max(0, begin - _SHORT) : begin]
        said = _SENTENCE_BEGIN.sub("", before)
        if not OWN_SPEAKING.search(said):
            yield from _sentence(text, speaking.end())


def _spoken_unspaced(text: str) -> Iterator[Span]:
    for speaking in SPEAKS_UNSPACED.finditer(text):
        before = text[max(0, speaking.start() - _LEAST) : speaking.end("speaker")]
        if not OWN_SPEAKING_UNSPACED.search(_SENTENCE_BEGIN.sub("", before)):
            yield from _sentence(text, speaking.end())


def _sentence(text: str, begin: int) -> Iterator[Span]:
    """Yield what follows, to the sentence's end, unless it hardly says anything."""
    found = _SENTENCE_END.search(text, begin, begin + _LONGEST)
    end = found.start() if found else min(len(text), begin + _LONGEST)
    if end - begin >= _LEAST // 2:
        yield begin, end


def _letter(text: str) -> Span | None:
    """Return where a letter stands that the person passes on; None where they may have written it themselves."""
    for number, opening in enumerate(SALUTATION.finditer(text)):
        if number == _TRIES:
            break
        before = text[: opening.start()].strip()
        if not before or len(before) > _LONGEST or OWN_TEXT.search(before):
            continue
        signed = SIGNED.search(text, opening.end())
        if signed:
            return opening.start(), signed.end()
        if ASKS_REPLY.search(before) or before.endswith((":", "\uff1a")):
            return opening.start(), _paragraph_end(text, opening.end())
    return None


def _judged(text: str) -> Span | None:
    """Return the text below a short line that asks something of it."""
    lines = lines_of(text)
    for start, end in lines[:_TRIES]:
        line = text[start:end].strip()
        follows = _NO_SPACE.search(text, end)
        if not line or len(line) > _SHORT or follows is None:
            continue
        if OWN_TEXT.search(line):
            return None
        points = POINTS_AT_TEXT.search(line)
        asks = line.endswith(_ASKING) or ASKS_REPLY.search(line)
        below = text[follows.start() :].rstrip()
        if GAP not in below and len(below) <= _SHORT and below.endswith(_ASKING):
            return None
        opinion = ASKS_OPINION.search(line) and (
            len(below) >= _TEXT and len(_SENTENCE_END.findall(below)) >= _TEXT_SENTENCES
        )
        if (points and (asks or ASKS_OPINION.search(line))) or opinion:
            return end, _text_end(text, follows.start())
    return None


def _text_end(text: str, begin: int) -> int:
    """Return where a text ends: before a short last paragraph that asks something."""
    last = text.rstrip().rfind("\n\n")
    if last > begin and len(text) - last <= _SHORT and text.rstrip().endswith(_ASKING):
        return last
    return len(text)


def _paragraph_end(text: str, begin: int) -> int:
    end = text.find("\n\n", begin)
    return len(text) if end < 0 else end
