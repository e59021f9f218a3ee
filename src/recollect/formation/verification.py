"""Decides by rule which candidates are accepted. Pure.

The model says how somebody means what they say, and of whom. Whether they said it is checked here: a model makes things up,
and repeats recalled memories as if the user had said them. So each candidate has to quote the user's own words, and the
quote has to be there. Secrets in a candidate are masked; a candidate that says nothing besides its secret is withheld
("the wifi's password is [secret: password]").
"""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice
from typing import TypeAlias

from recollect.formation.grounding import (
    ComparableText,
    EchoSources,
    SearchableText,
    plain_quote,
    searchable,
    share_no_script,
    weight,
)
from recollect.model import Candidate, Ignore, Lasting, Reason, Stance
from recollect.text.attribution import Attribution
from recollect.text.normalization import normalize
from recollect.text.patterns import bounded
from recollect.text.prompt_injection import is_injected
from recollect.text.secrets import has_mark, mask, without_marks
from recollect.text.word_analysis import analyze_words

_TELLING_WORDS = 2
_LABEL = bounded(
    "(?:api|access|secret|private|auth|bearer|authorization|has|have|hat|tiene|own|use[srd]?|username|login|admin|account|konto"
    "|(?:api)?keys?|tokens?|schlussel|zugangsdaten|passwor[dt]s?|passphrase|kennwort|pin|pins|codes?|cvv|cvc|pruf\\w*"
    "|(?:kredit|credit|bank|debit)?(?:card|karte)s?|credit|debit|visa|mastercard|amex|valid|gultig|until|bis|exp|expires?"
    "|contrasena|clave|llave|tarjeta|credito|mot|passe|carte|cle|bancaire|identifiant|senha|chave|cartao|numero|nummer|number"
    "|digicode|geheim\\w*|losung|login|logs?|identifiants?|credentials?|credenciales|combinations?|kombination|recovery|backup|codigo|codice|код\\w*|\\w*(?:passwort|password|passwd|code|codes|kennwort|schlussel|secret|pwd)|pw|mdp"
    "|seed|phrase|mnemonic\\w*|wallet\\w*|caduca|scade|vence|verloopt"
    "|парол\\w*|логин\\w*|ключ\\w*|токен\\w*|карт\\w*|номер\\w*|密|码|碼|钥|鑰|卡|号|パスワード|キー|トークン|カード|番)"
)
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
_LEAST_UNSPACED = 6
_UNSPACED = bounded(r"[\u3040-\u30ff\u4e00-\u9fff]")


WITHHELD = "[secret]"
"""What is noted of a candidate that is withheld."""


def without_secrets(candidate: Candidate) -> Candidate | None:
    """Return the candidate with its secrets masked; None where that leaves nothing worth knowing."""
    content, evidence = mask(candidate.content).text, mask(candidate.evidence).text
    if not has_mark(content):
        return candidate if evidence == candidate.evidence else replace(candidate, evidence=evidence)
    left = analyze_words(without_marks(content)).words
    telling = sum(bool(word.stems) and not _LABEL.fullmatch(word.plain) for word in left)
    if _IS_LOGIN.search(content):
        return None
    if any(not has_mark(part) and _tells(part) for part in _PARTS.split(content)):
        return replace(candidate, content=content, evidence=evidence)
    is_named = any(_LABEL.fullmatch(word.plain) for word in left) or _LABEL_UNSPACED.search(content)
    says_only_the_secret = is_named and _SAYS_SECRET.search(content)
    if telling < _TELLING_WORDS or says_only_the_secret:
        return None
    return replace(candidate, content=content, evidence=evidence)


def _tells(part: str) -> bool:
    """Tell whether a part of a statement that held no secret is worth keeping by itself."""
    if _LABEL_UNSPACED.search(part):
        return False
    words = analyze_words(part).words
    telling = [word.plain for word in words if word.stems and not _LABEL.fullmatch(word.plain)]
    unspaced = sum(map(len, filter(_UNSPACED.search, telling)))
    return unspaced >= _LEAST_UNSPACED if unspaced else len(telling) >= _TELLING_WORDS


CONFIRMED_CONFIDENCE = 0.8
"""How sure of what the assistant said and the person only confirmed one can be at most."""

_INJECTED_LINES = 200
_LINE_CHARACTERS = 500
_FUZZY_SEARCHES = 100
_ECHO_CHECKS = 100
_OWN_WORDS = 8
_MOST_EVIDENCE = 2_000
_LONGEST_SUBJECT = 80
"""Characters of what somebody is called."""


@dataclass(frozen=True, slots=True)
class TurnLimits:
    """The limits on what one turn may teach.

    Attributes:
        content_length: The most characters of a statement.
        candidates: The most statements believed of one turn.
        evidence_length: The fewest letters and digits a quote must have to prove anything; one
            of a script without spaces counts double.
    """

    content_length: int = 1_000
    candidates: int = 20
    evidence_length: int = 4


DEFAULT_LIMITS = TurnLimits()


@dataclass(frozen=True, slots=True)
class AcceptedCandidate:
    """An accepted candidate, and the number of the turn that supports it."""

    candidate: Candidate
    turn: int


@dataclass(frozen=True, slots=True)
class HeldCandidate:
    """A candidate that the person has to approve, and the number of the turn that supports it."""

    candidate: Candidate
    turn: int
    reason: Reason


Verdict: TypeAlias = AcceptedCandidate | HeldCandidate | Ignore


def verify(
    candidates: Sequence[Candidate],
    attributions: Sequence[Attribution],
    *,
    minimum_importance: float,
    asked: frozenset[int] = frozenset(),
    allowance: int | None = None,
    limits: TurnLimits = DEFAULT_LIMITS,
) -> list[Verdict]:
    """Return a verdict on each candidate, in order: accepted, held for approval, or ignored.

    Args:
        candidates: What was extracted.
        attributions: What the person says in each turn of the batch, oldest first.
        minimum_importance: What is below it is not kept.
        asked: Turns in which they ask to remember something: what those prove is kept however little it matters.
        allowance: How many more memories the person may get now; None: any number.
        limits: How much a turn may teach.
    """
    verification = _Verification(attributions, minimum_importance, asked, allowance, limits)
    return [verification.verdict(candidate) for candidate in candidates]


class _Verification:
    """The candidates of one batch on their way, and what was believed before."""

    def __init__(
        self,
        attributions: Sequence[Attribution],
        minimum_importance: float,
        asked: frozenset[int],
        allowance: int | None,
        limits: TurnLimits,
    ) -> None:
        self._readings = attributions
        newest = [(turn, attribution) for turn, attribution in enumerate(attributions)][::-1]
        self._authored = [(turn, searchable(attribution.authored)) for turn, attribution in newest]
        self._confirmed = [(turn, searchable(each.confirmed)) for turn, each in newest if each.confirmed]
        self._minimum_importance = minimum_importance
        self._asked = asked
        self._allowance = allowance
        self._limits = limits
        self._taught: Counter[int] = Counter()
        self._proofs: dict[str, tuple[int, str, float] | None] = {}
        self._believed = 0
        self._searches = 0
        self._checks = 0

    def verdict(self, candidate: Candidate) -> Verdict:
        if unfit := self._unfit(candidate):
            return Ignore(unfit, candidate)
        proof = self._proof(candidate)
        if proof is None:
            reason = Reason.INJECTED if self._is_injected(candidate) else Reason.NO_EVIDENCE
            return Ignore(reason, candidate)
        turn, proven = proof
        spoken = self._of_its_speaker(turn, proven)
        named = spoken and self._of_its_subject(spoken)
        if named is None:
            return Ignore(Reason.NO_EVIDENCE, proven)
        if unfit := self._unfit(named) or self._borrowed(named):
            return Ignore(unfit, proven)
        clean = without_secrets(named)
        if clean is None:
            return Ignore(Reason.CONFIDENTIAL, replace(proven, content=WITHHELD, evidence=WITHHELD))
        return self._within_limits(_in_own_script(clean), turn)

    def _unfit(self, candidate: Candidate) -> Reason | None:
        """Return the reason to reject a candidate regardless of its evidence; None if there is none."""
        if not any(map(str.isalnum, candidate.content)):
            return Reason.EMPTY
        if len(candidate.content) > self._limits.content_length:
            return Reason.TOO_LONG
        return None if candidate.stance is Stance.STATED else Reason.NOT_STATED

    def _within_limits(self, candidate: Candidate, turn: int) -> Verdict:
        if turn not in self._asked:
            if not candidate.importance >= self._minimum_importance:
                return Ignore(Reason.LOW_IMPORTANCE, candidate)  # NaN as well
            if candidate.lasting is Lasting.MOMENT:
                return Ignore(Reason.PASSING, candidate)
        if self._taught[turn] >= self._limits.candidates:
            return Ignore(Reason.TOO_MANY, candidate)
        if self._allowance is not None and self._believed >= self._allowance:
            return Ignore(Reason.RATE_LIMIT, candidate)
        self._taught[turn] += 1
        self._believed += 1
        authored = self._readings[turn].authored
        if candidate.steers or is_injected(candidate.content, candidate.evidence, authored):
            return HeldCandidate(candidate, turn, Reason.INSTRUCTION)
        return AcceptedCandidate(candidate, turn)

    def _proof(self, candidate: Candidate) -> tuple[int, Candidate] | None:
        """Return the newest turn that supports the candidate, and the candidate with its evidence as written there."""
        if candidate.evidence not in self._proofs:
            self._proofs[candidate.evidence] = self._proof_of(candidate.evidence)
        proof = self._proofs[candidate.evidence]
        if proof is None:
            return None
        turn, evidence, most_sure = proof
        return turn, replace(candidate, evidence=evidence, confidence=min(candidate.confidence, most_sure))

    def _proof_of(self, evidence: str) -> tuple[int, str, float] | None:
        """Return the turn that holds a quote, the quote as written there, and the highest confidence it allows."""
        quote = plain_quote(evidence)
        if weight(quote) < self._limits.evidence_length:
            return None
        for texts, most_sure in ((self._authored, math.inf), (self._confirmed, CONFIRMED_CONFIDENCE)):
            if found := self._found(quote, evidence, texts):
                return *found, most_sure
        return None

    def _found(
        self, quote: str, evidence: str, texts: Sequence[tuple[int, SearchableText]]
    ) -> tuple[int, str] | None:
        for turn, text in texts:
            if text.has(quote):
                return turn, evidence[:_MOST_EVIDENCE]
        for turn, text in texts:
            self._searches += 1
            if self._searches > _FUZZY_SEARCHES:
                return None
            if span := text.closest(quote):
                return turn, span
        return None

    def _is_injected(self, candidate: Candidate) -> bool:
        """Tell whether evidence that the person's words do not hold stands in what was injected into a prompt."""
        self._checks += 1
        if self._checks > _ECHO_CHECKS:
            return False
        quote = plain_quote(candidate.evidence)
        has_weight = weight(quote) >= self._limits.evidence_length
        content = ComparableText(candidate.content)
        return any(has_weight and line.has(quote) for line in self._shown) or any(
            content.telling and line.holds(content) for line in self._grounds.shown
        )

    def _of_its_subject(self, candidate: Candidate) -> Candidate | None:
        """Return the candidate so that it names its subject, where that is somebody other than the person.

        "Plays the viola" would be theirs, else. None where nobody is called so.
        """
        subject = candidate.subject
        if not subject or normalize(subject) in normalize(candidate.content):
            return candidate
        called = ComparableText(subject)
        if called.shares(ComparableText(candidate.content)):
            return candidate
        if len(subject) > _LONGEST_SUBJECT or not any(
            each.holds(called) for each in (self._grounds.own, *self._grounds.shown)
        ):
            return None
        return _named(candidate, subject)

    def _of_its_speaker(self, turn: int, candidate: Candidate) -> Candidate | None:
        """Return the candidate so that it names who said it, where several people speak as one user.

        None where it tells of another of them whom the speaker does not name.
        """
        reading = self._readings[turn]
        if not reading.speaker:
            return candidate
        told = searchable(f"{candidate.subject or ''}\n{candidate.content}")
        words = searchable(f"{reading.authored}\n{reading.confirmed}")
        if any(told.has(name) and not words.has(name) for name in map(plain_quote, reading.others)):
            return None
        if candidate.subject and normalize(candidate.subject) != normalize(reading.speaker):
            return candidate
        own = replace(candidate, subject=None)
        is_named = searchable(candidate.content).has(plain_quote(reading.speaker))
        return own if is_named else _named(own, reading.speaker)

    def _borrowed(self, candidate: Candidate) -> Reason | None:
        self._checks += 1
        return Reason.INJECTED if self._checks <= _ECHO_CHECKS and self._grounds.is_echo(candidate) else None

    @cached_property
    def _grounds(self) -> EchoSources:
        """The person's words, what was injected into the prompts, and what the assistant said."""
        own = "\n".join(text for each in self._readings for text in (each.authored, each.confirmed) if text)
        told = dict.fromkeys(line for attribution in self._readings for line in attribution.told)
        return EchoSources(
            ComparableText(own),
            [ComparableText(line.text) for line in self._shown],
            [ComparableText(line[:_LINE_CHARACTERS]) for line in islice(told, _INJECTED_LINES)],
        )

    @cached_property
    def _shown(self) -> list[SearchableText]:
        """What was injected into the prompts."""
        lines = dict.fromkeys(line for attribution in self._readings for line in attribution.injected)
        return [searchable(line[:_LINE_CHARACTERS]) for line in islice(lines, _INJECTED_LINES)]


def _named(candidate: Candidate, subject: str) -> Candidate:
    first, space, rest = candidate.content.partition(" ")
    if first.lower() in candidate.evidence.split():
        first = first.lower()
    return replace(candidate, content=f"{subject[:1].upper()}{subject[1:]}: {first}{space}{rest}")


def _in_own_script(candidate: Candidate) -> Candidate:
    """Return the candidate in the person's own words, where a model put it into a language of another script."""
    if weight(candidate.evidence) >= _OWN_WORDS and share_no_script(candidate.content, candidate.evidence):
        return replace(candidate, content=candidate.evidence)
    return candidate
