"""Where a quote stands: its sentence, and the clauses of it that it touches. Pure. Never: what they say."""

from dataclasses import dataclass
from itertools import islice

from recollect.formation.proof.evidence import SEARCHED_CHARACTERS, places_of, plain_text
from recollect.patterns import bounded

_MOST_PLACES = 5
_MOST = 1_000
"""Characters of a sentence that are looked at before and behind a quote."""
_END = bounded(
    "[!?\n\u3002\uff01\uff1f\u061f]|(?<![ (]\\.\\.)\\.(?=\\s|$)"
)  # "..." stands for a quote that was cut
_CLAUSE = bounded(
    "[,;:()\u3001\uff0c\uff1b\u2014\u060c]|\\s[-\u2013]\\s"
    "|\\s(?=(?:but|because|since|though|although|so|aber|weil|denn|sondern|mais|car|pero|porque|pues|perch\u00e9|mas|pois|maar|omdat"
    "|want|ale|bo|poniewa\u017c|\u043d\u043e|\u043f\u043e\u0442\u043e\u043c\u0443)\\s)"
)
_ASKING = frozenset("?\uff1f\u061f")


@dataclass(frozen=True, slots=True)
class Passage:
    """A quote in its surroundings, as `plain_text` gives them.

    Attributes:
        before: What stands before the quote in its sentence.
        quote: The quote.
        behind: What stands behind it in the sentence where it ends.
        clauses: The clauses it touches, whole.
        asks: Whether the sentence in which it ends has a question mark.
        goes_on: Whether more clauses follow in that sentence: what is asked may be those.
    """

    before: str
    quote: str
    behind: str
    clauses: str
    asks: bool
    goes_on: bool

    @property
    def sentence(self) -> str:
        """The sentence, or the sentences it reaches through."""
        return f"{self.before}{self.quote}{self.behind}"


def lines_as_searched(text: str) -> str:
    """Return a text as passages are looked for in it: plain, but line by line."""
    return "\n".join(filter(None, map(plain_text, text[:SEARCHED_CHARACTERS].splitlines())))


def passages_of(lines: str, quote: str) -> list[Passage]:
    """Return the first few places where a quote stands, in order; as whole words if it stands so anywhere.

    Args:
        lines: What `lines_as_searched` gives.
        quote: What `plain_quote` gives.
    """
    if not quote:
        return []
    plain = lines.replace("\n", " ")
    starts = list(islice(places_of(quote, plain), _MOST_PLACES)) or [plain.find(quote)]
    return [_passage_at(lines, start, quote) for start in starts if start >= 0]


def _passage_at(lines: str, start: int, quote: str) -> Passage:
    end = start + len(quote)
    first = max((each.end() for each in _END.finditer(lines, max(0, start - _MOST), start)), default=None)
    first = max(0, start - _MOST) if first is None else first
    ended = _END.search(lines, end - (lines[end - 1] in _ASKING), end + _MOST)
    last = ended.start() if ended else min(len(lines), end + _MOST)
    before, behind = lines[first:start].lstrip(), lines[end : max(last, end)]
    opening = [each.end() for each in _CLAUSE.finditer(before)]
    closing = _CLAUSE.search(behind)
    rest = behind[closing.end() :] if closing else ""
    return Passage(
        before,
        lines[start:end],
        behind,
        f"{before[opening[-1] if opening else 0 :]}{lines[start:end]}{behind[: closing.start() if closing else len(behind)]}",
        asks=ended is not None and ended[0] in _ASKING,
        goes_on=any(map(str.isalnum, rest)),
    )
