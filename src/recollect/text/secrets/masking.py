"""Masks the secrets of a text. Pure. Never: a model, whose they are, what is done with the rest."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from itertools import pairwise

from recollect.text.patterns import linear, whole
from recollect.text.secrets.announced import announced
from recollect.text.secrets.assigned import assigned, cookies
from recollect.text.secrets.checksums import account_numbers, card_numbers, local_accounts
from recollect.text.secrets.codes import by_number
from recollect.text.secrets.commands import in_commands
from recollect.text.secrets.disguises import seen
from recollect.text.secrets.kinds import MOST_PLACES, SecretKind, SecretSpan, TooManyPlacesError
from recollect.text.secrets.laid_out import laid_out
from recollect.text.secrets.shapes import keys, private_keys, random_strings
from recollect.text.secrets.unlocking import what_unlocks
from recollect.text.secrets.values import MASK

_READERS = (
    private_keys,
    keys,
    in_commands,
    assigned,
    cookies,
    card_numbers,
    account_numbers,
    local_accounts,
    announced,
    by_number,
    what_unlocks,
    laid_out,
    random_strings,
)
_TIMES = 3
"""How often a text is read at most: what stood beside one secret may show to be another once that is masked."""

_MOST_KNOWN, _LEAST_KNOWN, _LONGEST_KNOWN = 100, 4, 200
"""Secrets that are looked for wherever they stand, and how long each is: a shorter one is a word as well, or a number."""

_READ_AGAIN = 200_000
"""Characters up to which a text is."""

_MARK = linear(r"\[secret: (?:" + "|".join(SecretKind) + r")\]")


@dataclass(frozen=True, slots=True)
class MaskedText:
    """A text without its secrets.

    Attributes:
        text: The text, with ``[secret: API key]`` in place of each.
        kinds: What they were, in order.
        secrets: The secrets themselves, each with its kind; not shown by ``repr``.
    """

    text: str
    kinds: tuple[SecretKind, ...] = ()
    secrets: frozenset[tuple[str, SecretKind]] = field(default=frozenset(), repr=False)


def mask(text: str) -> MaskedText:
    """Return the text with a mark in place of each secret; all else stays as it is, and so do marks.

    Any text is read, in linear time. It is not to be called where streams have to go on: of a megabyte it takes tens
    of milliseconds.
    """
    kinds: tuple[SecretKind, ...] = ()
    secrets: set[tuple[str, SecretKind]] = set()
    for _ in range(_TIMES if len(text) <= _READ_AGAIN else 1):
        found = _secrets(text)
        if not found:
            break
        parts: list[str] = []
        at = 0
        for each in found:
            parts += text[at : each.start], mark(each.kind)
            at = each.end
        secrets.update(
            (text[each.start : each.end], each.kind)
            for each in found
            if each.end - each.start <= _LONGEST_KNOWN
        )
        text = "".join((*parts, text[at:]))
        kinds += tuple(each.kind for each in found)
    return MaskedText(_without(text, secrets), kinds, frozenset(secrets))


def mask_exchange_texts(*texts: str) -> list[str]:
    """Return texts of one exchange with their secrets masked: what one shows to be a secret is one in the others, too."""
    masked = [mask(text) for text in texts]
    secrets = frozenset().union(*(each.secrets for each in masked))
    return [_without(each.text, secrets) for each in masked]


def _without(text: str, secrets: Collection[tuple[str, SecretKind]]) -> str:
    """Return a text in which these secrets are masked wherever they stand by themselves."""
    longest_first = sorted(secrets, key=lambda each: (-len(each[0]), each))
    for secret, kind in longest_first[:_MOST_KNOWN]:
        if len(secret) >= _LEAST_KNOWN and secret in text:
            text = _replaced(text, secret, mark(kind))
    return text


def _replaced(text: str, secret: str, stands_for_it: str) -> str:
    parts = text.split(secret)
    written = [parts[0]]
    for before, behind in pairwise(parts):
        is_part = _goes_on(before[-2:], secret[0], backward=True) or _goes_on(behind[:2], secret[-1])
        written += (secret if is_part else stands_for_it), behind
    return "".join(written)


def _goes_on(beside: str, end: str, *, backward: bool = False) -> bool:
    """Tell whether what stands beside a secret's end makes it a part of a longer word or number."""
    near = beside[-1:] if backward else beside[:1]
    far = beside[:1] if backward else beside[1:]
    if end.isdigit() and len(beside) > 1 and near in ".,:/-" and far.isdigit():
        return True
    return near.isalnum() and end.isalnum() and near.isascii() == end.isascii()


def mark(kind: SecretKind) -> str:
    """Return what stands in the place of a secret."""
    return f"[secret: {kind}]"


_MARKS = tuple(map(mark, SecretKind))


def without_marks(text: str) -> str:
    """Return the text with a space in place of each mark."""
    return str(_MARK.sub(" ", text))


def between_marks(text: str, most: int) -> list[str]:
    """Return what stands before, between and behind a text's first ``most`` marks; the text alone if it has none."""
    return [str(piece) for piece in _MARK.split(text, most)]


def has_mark(text: str) -> bool:
    """Tell whether a mark stands in a text."""
    return _MARK.search(text) is not None


def holds_secret(text: str) -> bool:
    """Tell whether a text holds a secret that ``mask`` would replace."""
    return bool(_secrets(text))


def _secrets(text: str) -> list[SecretSpan]:
    """Return where the secrets stand, in order, those that overlap as one, of the kind that begins first."""
    read = seen(_readable(text))
    plain = read.text
    merged: list[SecretSpan] = []
    for each in sorted(
        _found(plain), key=lambda each: each.start
    ):  # of equals the one whose reader comes first
        if merged and each.start < merged[-1].end:
            merged[-1] = merged[-1]._replace(end=max(each.end, merged[-1].end))
        elif MASK not in plain[each.start : each.end] and each.end > each.start:
            merged.append(each)
    return read.in_original(text, merged)


def _readable(text: str) -> str:
    """Return a text as long as this one, in which marks that stand already say nothing."""
    plain = whole(text)
    if "[secret: " not in plain:
        return plain
    for each in _MARKS:
        plain = plain.replace(each, MASK * len(each))
    return plain


def _found(text: str) -> Iterator[SecretSpan]:
    for reader in _READERS:
        try:
            yield from _most(reader(text))
        except TooManyPlacesError as too_many:
            yield SecretSpan(too_many.at, len(text), SecretKind.UNREAD)


def _most(found: Iterator[SecretSpan]) -> Iterator[SecretSpan]:
    for number, each in enumerate(found, 1):
        yield each
        if number == MOST_PLACES:
            raise TooManyPlacesError(each.end)
