"""What somebody else is quoted with, where a candidate says it of them and quotes who says it. Pure.

Never: what the other says of the person, what becomes of the candidate. The quoted words are not the
person's, but that their sister wrote so is.
"""

from recollect.formation.proof.evidence import plain_quote, searched, weight
from recollect.formation.reading import Reading
from recollect.formation.word_lists.people import people_in
from recollect.patterns import bounded

_BEGINS = bounded('["\u201e\u201c\u00ab\u00bb\u300c:\uff1a]')
_LEAST = 8
_PIECES = 20


def is_hearsay(evidence: str, content: str, reading: Reading) -> bool:
    """Tell whether evidence is the person's word of who says something, with what these say, and so is the content.

    Args:
        evidence: As the candidate gives it: "my sister writes: ...".
        content: What the candidate says; it has to be of the one who speaks.
        reading: Where the frame has to be the person's own words, and the rest what was cut out as others'.
    """
    begins = _BEGINS.search(evidence)
    if begins is None:
        return False
    frame, rest = (
        plain_quote(evidence[: begins.start()]),
        plain_quote(evidence[begins.end() :].lstrip(' "\u201e\u201c\u00ab')),
    )
    if weight(frame) < _LEAST or weight(rest) < _LEAST or not people_in(frame) & people_in(content):
        return False
    if not searched(reading.authored).has(frame):
        return False
    return any(searched(piece).has(rest) for piece in reading.elsewhere[:_PIECES])
