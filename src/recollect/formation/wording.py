"""Rewrites candidates so that each can be read alone: adds the name of a missing subject or speaker, and masks secrets. Pure."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from recollect.formation.quote_search import SearchableText, Token, is_form, plain_quote, searchable
from recollect.model import (
    VALUE_LENGTH,
    Candidate,
    Exchange,
    Memory,
    Metadata,
    Role,
    several_speakers,
    speaker_of,
    tags_named,
)
from recollect.text.attribution import Attribution
from recollect.text.lexical.languages import language_of, stems_of, written
from recollect.text.normalization import normalize
from recollect.text.patterns import bounded
from recollect.text.secrets import has_mark, mask, without_marks
from recollect.text.word_analysis import analyze_words

_LONGEST_SUBJECT = 80
"""The most characters of a name."""
_TELLING_WORDS = 2
"""The fewest words, besides labels, with which a statement says more than its secret: "my VPN password: [secret]" does not."""
_LABEL = bounded(
    "(?:api|access|secret|private|auth|bearer|authorization|has|have|hat|tiene|own|use[srd]?|username|login|admin|account|konto"
    "|(?:api)?keys?|tokens?|schlussel|zugangsdaten|passwor[dt]s?|passphrase|kennwort|pin|pins|codes?|cvv|cvc|pruf\\w*"
    "|(?:kredit|credit|bank|debit)?(?:card|karte)s?|credit|debit|visa|mastercard|amex|valid|gultig|until|bis|exp|expires?"
    "|contrasena|clave|llave|tarjeta|credito|mot|passe|carte|cle|bancaire|identifiant|senha|chave|cartao|numero|nummer|number"
    "|digicode|geheim\\w*|losung|login|logs?|identifiants?|credentials?|credenciales|combinations?|kombination|recovery|backup|codigo|codice|код\\w*|\\w*(?:passwort|password|passwd|code|codes|kennwort|schlussel|secret|pwd)|pw|mdp"
    "|seed|phrase|mnemonic\\w*|wallet\\w*|caduca|scade|vence|verloopt"
    "|парол\\w*|логин\\w*|ключ\\w*|токен\\w*|карт\\w*|номер\\w*|密|码|碼|钥|鑰|卡|号|パスワード|キー|トークン|カード|番)"
)
"""Words that name a secret or belong to one. A statement of them alone says nothing without the secret."""
_LABEL_UNSPACED = bounded("密码|密碼|口令|密钥|令牌|パスワード|パスコード|暗証番号|トークン|비밀번호")
_IS_LOGIN = bounded(
    r"^\W*(?:(?:the|die|das|der|les?|la|los|las)\s+)?(?i:zugangsdaten|anmeldedaten|log-?ins?|logs? in(?:to)?|credentials?|identifiants?|credenciales|логин)\b"
    r"[^\n]{0,200}\[secret: [^\]]*\]\W*$"
)
_SAYS_SECRET = bounded(
    r"(?:\b(?:is|are|ist|sind|lautet|lauten|es|son|est|sont|e|è)|[:=\uff1a\u2014\u2013]|は|是|为|為)[\s\"'`]*\[secret: [^\]]*\]"
    r"(?:[\s,;/&+\"'`]*(?:(?:and|und|et|y|e|и|和|と)\s+)?\[secret: [^\]]*\])*\W*(?:です|だ)?\W*$"
)


_PARTS = bounded(r"[,;]\s|[.!?](?:\s|$)|[\uff0c\u3002\uff1b\u3001]|\s(?:and|und|et|y|en|и)\s")
_LEAST_UNSPACED = 6  # characters of about two words
_UNSPACED = bounded(r"[\u3040-\u30ff\u4e00-\u9fff]")


WITHHELD = "[secret]"
"""The note on a withheld candidate."""


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
    """Return a candidate that names its speaker, if several people speak as one user.

    None if it concerns another of these people, whom the speaker did not name.
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

    It does if it has one telling word of the subject's name, in any form; if it shares the word that follows the subject in the
    quote, but its first word of content is not from the quote; or if it begins with a word of content that the quote lacks.
    Statements that lack their subject begin with words of the quote, or with "is".
    """
    said, called, quote = (SearchableText(each).tokens for each in (content, subject, evidence))
    telling = [each for each in called if _tells(each, called, subject)]
    telling += [each for each in quote if any(_is_one(one, each) for one in telling)]
    if not said or any(_is_one(one, other) for one in telling for other in said):
        return True
    language = language_of({written(content[t.start : t.end]) for t in said})
    first = next((each for each in said if stems_of(language, each.letters)), said[0])
    if any(_is_one(first, each) for each in quote):
        return False
    ends = [number for number, each in enumerate(quote, 1) if called and each.letters == called[-1].letters]
    behind = quote[ends[0] : ends[0] + 1] if ends else []
    if any(_is_one(one, other) for one in behind for other in said):
        return True
    return bool(stems_of(language, said[0].letters))


def _tells(token: Token, tokens: list[Token], text: str) -> bool:
    """Return True if a word of a name says more than "my" or "the"; if no word does, each counts."""
    language = language_of({written(text[each.start : each.end]) for each in tokens})
    telling = [each for each in tokens if stems_of(language, each.letters)]
    return token in telling or not telling


def _is_one(one: Token, other: Token) -> bool:
    return one.letters == other.letters or is_form(one, other)


def unnamed(exchanges: Sequence[Exchange], known: Sequence[Memory]) -> Iterator[tuple[Memory, str]]:
    """Yield each known memory of this chat that names no speaker, with its content preceded by its speaker's name."""
    names = several_speakers(exchanges)
    if not names:
        return
    session = exchanges[0].turn.scope.session_id
    said = [
        (speaker_of(each.speaker), searchable(each.text))
        for each in exchanges[0].turn.history
        if each.role is Role.USER and each.speaker
    ]
    for memory in known:
        evidence = memory.provenance.evidence
        if memory.provenance.session_id != session or not evidence:
            continue
        content, quote = searchable(memory.content), plain_quote(evidence)
        speakers = {name for name, text in said if text.has(quote)}
        if len(speakers) == 1 and not any(content.has(plain_quote(name)) for name in names):
            yield memory, f"{speakers.pop()}: {memory.content}"


def without_secrets(candidate: Candidate) -> Candidate | None:
    """Return the candidate with its secrets masked; None if nothing else in it is worth knowing."""
    content, evidence = mask(candidate.content).text, mask(candidate.evidence).text
    if not has_mark(content):
        return candidate if evidence == candidate.evidence else replace(candidate, evidence=evidence)
    left = analyze_words(without_marks(content)).words
    telling = sum(bool(word.stems) and not _LABEL.fullmatch(word.plain) for word in left)
    if _IS_LOGIN.search(content):
        return None
    if any(not has_mark(part) and _is_worth_keeping(part) for part in _PARTS.split(content)):
        return replace(candidate, content=content, evidence=evidence)
    is_named = any(_LABEL.fullmatch(word.plain) for word in left) or _LABEL_UNSPACED.search(content)
    says_only_the_secret = is_named and _SAYS_SECRET.search(content)
    if telling < _TELLING_WORDS or says_only_the_secret:
        return None
    return replace(candidate, content=content, evidence=evidence)


def masked_tags(tags: Iterable[str]) -> tuple[str, ...]:
    """Return tags without secrets."""
    return tags_named(mask(each).text for each in tags)


def masked_metadata(metadata: Metadata) -> Metadata:
    """Return metadata without secrets."""
    texts = {key: mask(each).text[:VALUE_LENGTH] for key, each in metadata.items() if isinstance(each, str)}
    return {**metadata, **texts}


def _is_worth_keeping(part: str) -> bool:
    """Return whether a part of a statement, which has no secret, is worth keeping without the rest."""
    if _LABEL_UNSPACED.search(part):
        return False
    words = analyze_words(part).words
    telling = [word.plain for word in words if word.stems and not _LABEL.fullmatch(word.plain)]
    unspaced = sum(map(len, filter(_UNSPACED.search, telling)))
    return unspaced >= _LEAST_UNSPACED if unspaced else len(telling) >= _TELLING_WORDS
