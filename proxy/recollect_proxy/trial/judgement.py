"""Compares the changes after a labelled message with its labels. Pure. Never: asks a model, prints."""

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from recollect.model import Add, Change, Erase, Memory, Replace, Retire
from recollect.text.normalization import normalize
from recollect_proxy.trial.labelled_turns import LabelledTurn


@dataclass(frozen=True, slots=True)
class Judgement:
    """The changes after one message, compared with its labels.

    Attributes:
        labelled: The message.
        kept: Statements that had to be kept, and were, and memories that had to go, and did.
        missed: Those that were not kept, or did not go.
        invented: Statements that had not to be kept, and memories that had to stay.
        seconds: How long it took.
        is_readable: Whether the answer could be read.
    """

    labelled: LabelledTurn
    kept: tuple[str, ...]
    missed: tuple[str, ...]
    invented: tuple[str, ...]
    seconds: float
    is_readable: bool = True

    @property
    def is_right(self) -> bool:
        """Whether nothing was missed, and nothing invented."""
        return self.is_readable and not self.missed and not self.invented


def judge(
    labelled: LabelledTurn, known: Sequence[UUID], changes: Sequence[Change], seconds: float
) -> Judgement:
    """Compare changes with the labels of a message.

    Args:
        labelled: The message.
        known: The ids of the memories that the person had, in the order of the labels.
        changes: The decisions of formation.
        seconds: How long it took.
    """
    new = [each.memory for each in changes if isinstance(each, Add | Replace)]
    found = {each.content: any(_says(memory, each.words) for memory in new) for each in labelled.expect}
    gone = {number for number, each in enumerate(known) if each in _ended(changes)}
    right = {*labelled.gone}
    kept = [content for content, is_there in found.items() if is_there]
    missed = [content for content, is_there in found.items() if not is_there]
    kept += [f"no longer: {labelled.known[each]}" for each in sorted(gone & right)]
    missed += [f"still: {labelled.known[each]}" for each in sorted(right - gone)]
    invented = [memory.content for memory in new if not _is_fine(memory, labelled)]
    invented += [f"no longer: {labelled.known[each]}" for each in sorted(gone - right)]
    return Judgement(labelled, tuple(kept), tuple(missed), tuple(invented), seconds)


def unreadable(labelled: LabelledTurn, seconds: float) -> Judgement:
    """Return the judgement of an answer that no statement can be read from."""
    missed = [each.content for each in labelled.expect]
    missed += [f"still: {labelled.known[each]}" for each in labelled.gone]
    return Judgement(labelled, (), tuple(missed), (), seconds, is_readable=False)


def _ended(changes: Sequence[Change]) -> set[UUID]:
    ended = {each.old for each in changes if isinstance(each, Replace)}
    ended |= {each.target for each in changes if isinstance(each, Retire)}
    return ended | {each for change in changes if isinstance(change, Erase) for each in change.memories}


def _is_fine(memory: Memory, labelled: LabelledTurn) -> bool:
    quoted = f"{memory.content}\n{memory.provenance.evidence or ''}"
    if any(secret in quoted for secret in labelled.never):
        return False
    return any(_says(memory, words) for words in (*(each.words for each in labelled.expect), *labelled.may))


def _says(memory: Memory, words: Sequence[str]) -> bool:
    text = normalize(memory.content)
    return all(any(normalize(form) in text for form in word.split("|")) for word in words)
