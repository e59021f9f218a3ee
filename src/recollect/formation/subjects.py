"""Adds to a statement the name of its subject or speaker, if that is not the person and is missing. Pure."""

from dataclasses import replace

from recollect.formation.grounding import SearchableText, Token, is_form, plain_quote, searchable
from recollect.model import Candidate
from recollect.text.attribution import Attribution
from recollect.text.lexical.languages import language_of, word_terms, written
from recollect.text.normalization import normalize

_LONGEST_SUBJECT = 80
"""The most characters of a name."""


def naming_its_subject(candidate: Candidate) -> Candidate:
    """Return a candidate whose statement names its subject: "Plays the viola" would be read as the person's own.

    A statement with another word for the subject ("Husband is ..." for "my hubby") names it already.
    """
    subject = candidate.subject
    if (
        not subject
        or len(subject) > _LONGEST_SUBJECT
        or _names(candidate.content, subject, candidate.evidence)
    ):
        return candidate
    return _with_subject(candidate, subject)


def naming_its_speaker(candidate: Candidate, reading: Attribution) -> Candidate | None:
    """Return a candidate that names who said it, if several people speak as one user.

    None if it concerns another of them whom the speaker does not name.
    """
    if not (reading.speaker and reading.others):
        return candidate
    content = searchable(candidate.content)
    about = searchable(f"{candidate.subject or ''}\n{candidate.content}")
    words = searchable(f"{reading.authored}\n{candidate.evidence}")  # which may be the assistant's, confirmed
    if any(about.has(name) and not words.has(name) for name in map(plain_quote, reading.others)):
        return None
    if candidate.subject and normalize(candidate.subject) != normalize(reading.speaker):
        return candidate
    own = replace(candidate, subject=None)
    return own if content.has(plain_quote(reading.speaker)) else _with_subject(own, reading.speaker)


def _with_subject(candidate: Candidate, subject: str) -> Candidate:
    first, space, rest = candidate.content.partition(" ")
    if first.lower() in candidate.evidence.split():
        first = first.lower()
    return replace(candidate, content=f"{subject[:1].upper()}{subject[1:]}: {first}{space}{rest}")


def _names(content: str, subject: str, evidence: str) -> bool:
    """Return True if a statement names its subject.

    A word of the subject's name is enough, in the form that it has there or in the quote. So is another word before the predicate
    that follows the subject in the quote, and a first word of content that the quote lacks: statements without a subject begin
    with words of the quote, or with "is".
    """
    said, called, quote = (SearchableText(each).tokens for each in (content, subject, evidence))
    telling = [each for each in called if _tells(each, called, subject)]
    telling += [each for each in quote if any(_is_one(one, each) for one in telling)]
    if not said or any(_is_one(one, other) for one in telling for other in said):
        return True
    language = language_of({written(content[t.start : t.end]) for t in said})
    first = next((each for each in said if word_terms(language, each.letters)), said[0])
    if any(_is_one(first, each) for each in quote):
        return False
    ends = [number for number, each in enumerate(quote, 1) if called and each.letters == called[-1].letters]
    behind = quote[ends[0] : ends[0] + 1] if ends else []
    if any(_is_one(one, other) for one in behind for other in said):
        return True
    return bool(word_terms(language, said[0].letters))


def _tells(token: Token, tokens: list[Token], text: str) -> bool:
    """Return True for a word of a name that is more than "my" and "the", or for each if there is none."""
    language = language_of({written(text[each.start : each.end]) for each in tokens})
    telling = [each for each in tokens if word_terms(language, each.letters)]
    return token in telling or not telling


def _is_one(one: Token, other: Token) -> bool:
    return one.letters == other.letters or is_form(one, other)
