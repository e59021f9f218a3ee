"""The report on a request to the memory, for the prompt, so that the model's answer is true. Pure.

Plain words for a model, which tells them in the person's language. The report never quotes forgotten text.
"""

from collections.abc import Sequence

from recollect.text.cues.memory_requests import LAST, Request

_DONE, _NOT_DONE = "- [DONE]", "- [NOT DONE]"

STOPPED = (
    f"{_DONE} From now on nothing that the user says is remembered, in any chat. What was remembered before stays, and is still"
    ' used. "Remember me again" turns it on again.'
)
RESUMED = f"{_DONE} What the user says is remembered again, from now on."
SWITCHED_OFF = (
    f"{_NOT_DONE} Nothing is remembered of anybody here: whoever runs this memory has switched it off."
)
NOT_EVERYWHERE = (
    f"{_NOT_DONE} Nothing was changed: it would hold in all chats, and from here only one project or agent is reached. The user may"
    ' say it in a chat of their own, or "don\'t remember this chat" here.'
)
LEFT_OUT = (
    f"{_DONE} Nothing of this chat is remembered any more. What was kept of it, and what was learned from it alone, is deleted"
    ' for good. "Remember this chat again" turns it on again.'
)
TAKEN_IN = (
    f"{_DONE} What is said in this chat is remembered again, from now on. What was deleted stays deleted."
)
NOT_LEFT_OUT = f"{_NOT_DONE} There was nothing to change: this chat was not left out of the memory."
NOT_UNDONE = (
    f"{_NOT_DONE} Nothing was undone: it was undone before, was changed again since, or was erased for good."
)
NOT_EVERYTHING = (
    f"{_NOT_DONE} Nothing was forgotten: everything is not forgotten for a sentence in a chat. Whoever runs this memory can delete"
    ' all of it. To forget something, the user asks what is known about them, and then says "forget number 2".'
)
UNCERTAIN = f"{_NOT_DONE} The memory can't be reached: it is not certain that anything was changed. The user may ask again later."
UNCLEAR = (
    f"{_NOT_DONE} Nothing was forgotten: it is not certain what is meant. The user may ask what is known about them, to see the"
    " list again, or say what to forget."
)
CONFIDENTIAL = (
    f"{_NOT_DONE} Nothing was remembered of the user's message before this one: it holds a password or another secret, and"
    " secrets are never kept."
)
GONE = f"{_NOT_DONE} Nothing was forgotten: that is not remembered any more."


def forgotten(numbers: Sequence[int], count: int) -> str:
    """Return the answer when ``count`` memories were forgotten for the numbers that the person named."""
    if count < len(numbers):
        return f"{_DONE} Forgotten, as the user asked: {count} of the {len(numbers)} named; the others were so before."
    which = ", ".join("the last" if each == LAST else f"number {each}" for each in numbers)
    return (
        f"{_DONE} Forgotten, as the user asked: {which} of the list. Tell the user by the words of the list in this chat, not by the"
        ' number. The other numbers stay as they are. "Undo that" brings it back.'
    )


def out_of_range(count: int) -> str:
    """Return the report for a number beyond the end of the list."""
    return f"{_NOT_DONE} Nothing was forgotten: the list has {count} statements, and none of that number."


def undone(count: int) -> str:
    """Return the report on so many undone changes; 0: nothing was learned, and nothing will be."""
    if not count:
        return f"{_DONE} Nothing is learned from the user's message before this one."
    return f"{_DONE} Undone, as the user asked: {count} {'change' if count == 1 else 'changes'} of what is remembered."


CLEAR_ALONE = frozenset({Request.STOP, Request.RESUME, Request.LEAVE_OUT, Request.TAKE_IN})
"""The requests that are clear without the chat; others need the store to be understood."""
