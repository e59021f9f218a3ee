"""Tells what is so just now and passes by itself: hunger, a queue, a wish for this one answer. Pure.

Never: how important a model finds it.
"""

from recollect.formation.difference.names import tells
from recollect.formation.proof.passages import Passage
from recollect.formation.word_lists.claiming import REQUESTS
from recollect.formation.word_lists.passing import (
    BODY,
    EMPTY,
    LASTS,
    NOW,
    ONCE,
    TOWARDS_ONES_OWN,
    UNDERWAY,
    WANTS_OF_ASSISTANT,
)
from recollect.formation.wording import wording
from recollect.model import Candidate

_STATE_BEGINS = 12
"""Characters before a state, at most, where a note of oneself leaves out the rest: "stuck in traffic"."""
_MORE = 1
_UNSPACED_MORE = 2


def is_passing(candidate: Candidate, passage: Passage) -> bool:
    """Tell whether a candidate says only how somebody is just now, or wants something only once.

    Args:
        candidate: What is said, and what it rests on.
        passage: Where that stands.
    """
    content, clauses = candidate.content.casefold(), passage.clauses
    if LASTS.search(content) or LASTS.search(clauses):
        return False
    if ONCE.search(passage.sentence) and _wants_of_assistant(clauses):
        return True
    body = BODY.search(content) and not LASTS.search(passage.sentence)
    if body and (BODY.search(passage.sentence) or NOW.search(clauses)) and _says_no_more(content):
        return True
    if not UNDERWAY.search(content):
        return False
    state = UNDERWAY.search(clauses)
    if state is None or TOWARDS_ONES_OWN.match(clauses, state.end()):
        return False
    return NOW.search(clauses) is not None or state.start() <= _STATE_BEGINS


def _wants_of_assistant(clauses: str) -> bool:
    """Tell whether clauses ask something of the assistant, whatever stands in them of how often."""
    rest = ONCE.sub(" ", clauses).strip()
    return bool(REQUESTS.search(rest) or WANTS_OF_ASSISTANT.search(rest))


def _says_no_more(content: str) -> bool:
    rest = wording(BODY.sub(" ", content)).words
    telling = [word for word in rest if tells(word) and word.plain not in EMPTY and word.text not in EMPTY]
    unspaced = sum(word.is_unspaced for word in telling)
    return len(telling) - unspaced <= _MORE and unspaced <= _UNSPACED_MORE
