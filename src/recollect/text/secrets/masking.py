"""Masks the secrets of a text or an exchange, and those in ids of chats and names of models. Pure.

The words as they were said identify a turn, so the keys of an exchange are never masked. Ids and names are shown as they are in
rows, logs and lists.
"""

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from hashlib import sha256
from itertools import pairwise

from recollect.model import Exchange, Message, Turn
from recollect.text.patterns import anchored, any_of, linear, replaced, whole
from recollect.text.secrets import key_formats, secrets_in_code
from recollect.text.secrets.announced import announced, laid_out, may_be_announced, names_one
from recollect.text.secrets.checksummed_numbers import (
    BANK,
    MAY_BE_LETTERED,
    account_numbers,
    card_numbers,
    identity_numbers,
    local_accounts,
)
from recollect.text.secrets.key_formats import keys, private_keys, random_strings, seed_phrases
from recollect.text.secrets.named_values import by_number, sent
from recollect.text.secrets.secrets_in_code import assigned, cookies, in_commands
from recollect.text.secrets.text_as_seen import undisguised, without_layout
from recollect.text.secrets.unlock_codes import may_unlock, what_unlocks
from recollect.text.secrets.values import MASK, MOST_PLACES, SecretKind, SecretSpan, TooManyPlacesError

_READERS = (
    private_keys,
    keys,
    in_commands,
    assigned,
    cookies,
    local_accounts,
    random_strings,
)
"""The readers of forms, and of program code."""

_MAY_HAVE_FORM = any_of(*key_formats.SHAPES, *secrets_in_code.SHAPES, BANK)
"""A text without any of these has nothing for them, and nearly all talk has none."""

_CHECKED = (card_numbers, account_numbers, identity_numbers, by_number)
"""The readers of checksums, to whom each letter is of the script in which it is written."""

_MAY_HAVE_NUMBER = any_of(r"[0-9](?:[^A-Za-z0-9]{0,3}[0-9]){6}|[A-Za-z]{2}[0-9]{2}", MAY_BE_LETTERED)
"""The same for these: seven digits in a row, two behind two letters, or a part of a number with letters."""

_NAMED = (announced, sent, what_unlocks, laid_out)
"""The readers of sentences: they read a text without its layout, and only if it names a secret."""

_TIMES = 3
"""How often a text is read at most: once one secret is masked, the words next to it may show another."""

_MOST_KNOWN, _LEAST_KNOWN, _LONGEST_KNOWN = 100, 4, 200
"""Secrets that are looked for wherever they stand, and how long each is: a shorter one is a word as well, or a number."""

_READ_AGAIN = 200_000
"""Characters up to which a text is."""

KEPT = 200_000
"""Characters that are kept of a message, or of an answer: as many as are ever found again."""

LEFT_OUT = "\n[...]\n"
"""The mark in the place of a long text's middle."""

_READ_BEFORE = 4_000
"""Characters of each of the two messages before a turn that are looked at: the longest secrets are shorter."""

_BEYOND = 16_000
"""Characters that are read beyond a cut: as long as a private key of 16,384 bits."""

_MARK = linear(r"\[secret: (?:" + "|".join(SecretKind) + r")\]")


@dataclass(frozen=True, slots=True)
class MaskedText:
    """A text without its secrets.

    Attributes:
        text: The text, with ``[secret: API key]`` in place of each.
        kinds: Their kinds, in order.
        secrets: The secrets themselves, each with its kind; not shown by ``repr``.
    """

    text: str
    kinds: tuple[SecretKind, ...] = ()
    secrets: frozenset[tuple[str, SecretKind]] = field(default=frozenset(), repr=False)


def mask(text: str) -> MaskedText:
    """Return the text with a mark in place of each secret. Existing marks stay.

    It takes linear time, and for a megabyte tens of milliseconds to two seconds: don't call it on an event loop that relays
    streams.
    """
    return _masked(text, 0, len(text))


def mask_ends(text: str, most: int) -> MaskedText:
    """Return a text with its secrets masked; of more than ``most`` characters three quarters from the beginning, the rest from the end.

    Only the kept parts are read, and 16,000 characters beyond each cut: a secret that a cut would part is recognized whole, and
    left out.
    """
    if len(text) <= most:
        return mask(text)
    ends = most * 3 // 4
    begins = len(text) - (most - ends)
    first = _masked(text[: ends + _BEYOND], 0, ends)
    before = min(_BEYOND, begins)
    last = _masked(text[begins - before :], before, len(text) - begins + before)
    secrets = first.secrets | last.secrets
    kept = f"{first.text}{LEFT_OUT}{last.text}"
    return MaskedText(_without(kept, secrets), first.kinds + last.kinds, secrets)


def ends_of(text: str, most: int) -> str:
    """Return a text; of more than ``most`` characters the parts that ``mask_ends`` keeps, unmasked."""
    if len(text) <= most:
        return text
    ends = most * 3 // 4
    return f"{text[:ends]}{LEFT_OUT}{text[len(text) - (most - ends) :]}"


def _masked(text: str, begins: int, ends: int) -> MaskedText:
    """Return the part of a text between two places with its secrets masked; the text around it is read, too.

    A mark that one of the places falls into is left out.
    """
    kinds: tuple[SecretKind, ...] = ()
    secrets: set[tuple[str, SecretKind]] = set()
    for _ in range(_TIMES if len(text) <= _READ_AGAIN else 1):
        found = _secrets(text)
        if not found:
            break
        secrets.update(
            (text[each.start : each.end], each.kind)
            for each in found
            if each.end - each.start <= _LONGEST_KNOWN
        )
        begins, ends = _moved(begins, found, is_end=False), _moved(ends, found, is_end=True)
        text = replaced(text, ((each.start, each.end, mark(each.kind)) for each in found))
        kinds += tuple(each.kind for each in found)
        # The same secret elsewhere, too, before the words next to it are read again.
        outer, inner, rest = (
            _without(part, secrets) for part in (text[:begins], text[begins:ends], text[ends:])
        )
        text, begins, ends = outer + inner + rest, len(outer), len(outer) + len(inner)
    return MaskedText(text[begins:ends], kinds, frozenset(secrets))


def _moved(place: int, found: Sequence[SecretSpan], *, is_end: bool) -> int:
    """Return where a place of a text is once its secrets are masked; within a secret, the mark's edge that leaves it out."""
    moved = place
    for each in found:
        grows = len(mark(each.kind)) - (each.end - each.start)
        if each.end <= place:
            moved += grows
        elif each.start < place:
            return moved - (place - each.start) if is_end else moved + each.end - place + grows
        else:
            break
    return moved


def mask_exchange_texts(*texts: str) -> list[str]:
    """Return the texts of one exchange, masked: a secret found in one is masked in all."""
    masked = [mask(text) for text in texts]
    secrets = frozenset().union(*(each.secrets for each in masked))
    return [_without(each.text, secrets) for each in masked]


def _without(text: str, secrets: Collection[tuple[str, SecretKind]]) -> str:
    """Return a text in which these secrets are masked wherever they stand as whole words."""
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
    """Return whether a longer word or number continues beyond a secret's end."""
    near = beside[-1:] if backward else beside[:1]
    far = beside[:1] if backward else beside[1:]
    if end.isdigit() and len(beside) > 1 and near in ".,:/-" and far.isdigit():
        return True
    return near.isalnum() and end.isalnum() and near.isascii() == end.isascii()


def mark(kind: SecretKind) -> str:
    """Return the mark that replaces a secret."""
    return f"[secret: {kind}]"


_MARKS = tuple(map(mark, SecretKind))


def without_marks(text: str) -> str:
    """Return the text with a space in place of each mark."""
    return str(_MARK.sub(" ", text))


def has_mark(text: str) -> bool:
    """Return whether a text has a mark."""
    return _MARK.search(text) is not None


def holds_secret(text: str) -> bool:
    """Return whether a text holds a secret that ``mask`` would replace."""
    return bool(_secrets(text))


def _secrets(text: str) -> list[SecretSpan]:
    """Return the spans of secrets in order; overlapping ones become one, of the kind that begins first."""
    read = undisguised(_readable(text))
    plain = read.text
    merged: list[SecretSpan] = []
    # If several begin at the same place, the one of the first reader stays first.
    for each in sorted(_spans_in(plain, read.in_scripts), key=lambda each: each.start):
        if merged and each.start < merged[-1].end:
            merged[-1] = merged[-1]._replace(end=max(each.end, merged[-1].end))
        elif MASK not in plain[each.start : each.end] and each.end > each.start:
            merged.append(each)
    return read.in_original(text, merged)


def _readable(text: str) -> str:
    """Return a text of the same length in which existing marks are blanked."""
    plain = whole(text)
    if "[secret: " not in plain:
        return plain
    for each in _MARKS:
        plain = plain.replace(each, MASK * len(each))
    return plain


def _spans_in(text: str, in_scripts: str) -> Iterator[SecretSpan]:
    for reader in _READERS if _MAY_HAVE_FORM.is_in(text.encode()) else ():
        yield from _read_by(reader, text)
    for reader in _CHECKED if _MAY_HAVE_NUMBER.is_in(in_scripts.encode()) else ():
        yield from _read_by(reader, in_scripts)
    yield from _read_by(seed_phrases, in_scripts)
    if may_be_announced(text) or may_unlock(text):
        plain = without_layout(text)
        for reader in _NAMED if names_one(plain.text) else (sent, what_unlocks):
            yield from map(plain.in_original, _read_by(reader, plain.text))


def _read_by(reader: Callable[[str], Iterator[SecretSpan]], text: str) -> Iterator[SecretSpan]:
    try:
        for number, each in enumerate(reader(text), 1):
            yield each
            if number == MOST_PLACES:
                yield SecretSpan(each.end, len(text), SecretKind.UNREAD)
                return
    except TooManyPlacesError as too_many:
        yield SecretSpan(too_many.at, len(text), SecretKind.UNREAD)


@dataclass(frozen=True, slots=True)
class MaskedTurn:
    """A turn as it may be kept.

    Attributes:
        turn: The turn, its text and the speaker's name masked.
        secrets: The secrets that were found in them, which the answer may repeat; not shown by ``repr``.
    """

    turn: Turn
    secrets: frozenset[tuple[str, SecretKind]] = field(default=frozenset(), repr=False)


def masked_turn(turn: Turn, text: MaskedText | None = None) -> MaskedTurn:
    """Return a turn with the secrets in its text (unless that is masked and cut already) and the speaker's name masked, a long text cut.

    Its history is cut to the end of the answer right before it, which is masked, too. Its prompt and its keys stay as they are.
    """
    text, speaker = text or mask_ends(turn.text, KEPT), mask(turn.speaker or "")
    secrets = text.secrets | speaker.secrets
    kept = replace(
        turn,
        text=_without(text.text, speaker.secrets),
        speaker=_without(speaker.text, secrets) or turn.speaker,
        history=_answered(turn, secrets),
    )
    return MaskedTurn(kept, secrets)


def _answered(turn: Turn, secrets: Collection[tuple[str, SecretKind]]) -> tuple[Message, ...]:
    """Return a turn's history with the secrets masked in the answer right before it; the message before that may show them."""
    if not turn.answered:
        return turn.history
    *_, said = mask_exchange_texts(*(each.text[-_READ_BEFORE:] for each in turn.history[-2:]))
    return (*turn.history[:-1], replace(turn.history[-1], text=_without(said, secrets)))


def with_masked_reply(exchange: Exchange, masked: MaskedTurn, reply: MaskedText | None = None) -> Exchange:
    """Return an exchange with its masked turn, its reply masked and cut (unless it is already); a secret of one is masked in both."""
    reply = reply or mask_ends(exchange.reply, KEPT)
    turn = masked.turn
    turn = replace(
        turn,
        text=_without(turn.text, reply.secrets),
        speaker=turn.speaker and _without(turn.speaker, reply.secrets),
        history=(
            *turn.history[:-1],
            *(replace(each, text=_without(each.text, reply.secrets)) for each in turn.history[-1:]),
        ),
    )
    return replace(exchange, turn=turn, reply=_without(reply.text, masked.secrets))


def masked_exchange(exchange: Exchange) -> Exchange:
    """Return an exchange as it may be kept: its secrets masked, a long text or reply cut."""
    return with_masked_reply(exchange, masked_turn(exchange.turn))


def with_masked_history(exchange: Exchange) -> Exchange:
    """Return an exchange with the secrets of its history masked too, as models are shown that."""
    turn = exchange.turn
    before = [each.text for each in turn.history]
    text, reply, speaker, *before = mask_exchange_texts(
        turn.text, exchange.reply, turn.speaker or "", *before
    )
    history = tuple(replace(each, text=said) for each, said in zip(turn.history, before, strict=True))
    turn = replace(turn, text=text, speaker=speaker or turn.speaker, history=history)
    return replace(exchange, turn=turn, reply=reply)


def unread_exchange(exchange: Exchange) -> Exchange:
    """Return an exchange without its texts, for one whose secrets could not be found."""
    unread = mark(SecretKind.UNREAD)
    history = tuple(replace(each, text="") for each in exchange.turn.history)
    return replace(
        exchange, turn=replace(exchange.turn, text=unread, speaker=None, history=history), reply=unread
    )


_TEXT = (
    "the password is {0}, my pin is {0}, cvv {0}, security answer: {0}, my social is {0}, the door code is {0}, "
    "api key {0}, login: a / {0}, the safe: {0}-{0}-{0}, passwords are {0}; the alarm opens with {0}, the key is {0}-{0}. "
    "They texted me the code {0}. {0} opens the door. Backup codes: {0}-{0} {0}-{0}\n"
    "I changed the password to {0}. Mein Passwort lautet {0}. has\u0142o to {0}. \u5bc6\u7801\u662f{0}\n"
    "| password | {0} |\nPassword\n{0}\ncurl -u a:{0} https://a:{0}@b.example?key={0}\nexport A_SECRET={0}\n"
    "cookie: a={0}{0}\np\u0430ssword p\uff41ss\u200bword: {0}\n4111 1111 1111 1112 sort code 20-00-00 account {0} DE12 3456, 48213907A, passport {0}\n\n> **{0}**\n{1}\n"
)
"""Something for each reader of secrets to look at closely; it holds none."""


def warm() -> None:
    """Mask made-up texts so that every expression is compiled; it takes a quarter of a second, once per process, off the loop."""
    for value in ("a1b2c3d4", "1234", "quilt"):
        mask(_TEXT.format(value, "aB3dE5gH7jK9mN1pQ3sT5vX7z"))


_PLAIN = anchored(
    r"(?:[a-z]{1,12}:)?[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}|fp:[0-9a-f]{32}|[a-z0-9-]{1,12}"
)
"""The look of nearly all ids and of no secret: a UUID, a chat known by its beginning, a short word."""

_LONGEST = 200


@lru_cache(maxsize=4096)
def id_without_secrets(text: str) -> str:
    """Return a chat's id with its secrets masked; then a hash keeps it another id than all others. A masked one stays as it is."""
    if _PLAIN.fullmatch(text):
        return text
    masked = mask(text).text
    digest = sha256(text.encode(errors="replace")).hexdigest()
    return text if masked == text else f"{masked[:_LONGEST]}#{digest[:16]}"


@lru_cache(maxsize=1024)
def name_without_secrets(text: str) -> str:
    """Return a model's name with its secrets masked."""
    return mask(text).text
