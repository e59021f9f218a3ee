"""What a person asks of the memory itself: to remember, forget or correct something. Pure. Never: a model, what is known.

A model understands such wishes in any words (`understood_commands`). Where none extracts, the first words of a message count,
by a short closed list; what follows them is the statement.
"""

from dataclasses import dataclass

from recollect.model import Asking, Memory
from recollect.text.cues.memory_requests import read_memory_request, read_opening
from recollect.text.looks import ends_asking

LONGEST_STATEMENT = 500
"""Characters of a statement."""


@dataclass(frozen=True, slots=True)
class MemoryCommand:
    """A command to the memory.

    Attributes:
        asking: What is asked for.
        about: What to remember or to forget, or what is so, in the person's words; "" where nothing is named.
        meant: The memories that a model named; None: no model was asked.
        is_beside_others: Whether a model understood it of a message that holds others' words, too, as pasted ones.
        quote: The words that ask, where a model quoted them.
    """

    asking: Asking
    about: str
    meant: tuple[Memory, ...] | None = None
    is_beside_others: bool = False
    quote: str = ""


def read_commands(authored: str) -> tuple[MemoryCommand, ...]:
    """Return the command that a message begins with; () for most messages, and for a question whether something is remembered."""
    found = None if read_memory_request(authored) else read_opening(authored)
    if found is None or not any(map(str.isalnum, found[1])) or ends_asking(found[1]):
        return ()
    return (MemoryCommand(*found),)


def statement_of(command: MemoryCommand) -> str:
    """Return the subject of a command as a statement that can be kept: one line, at most 500 characters."""
    plain = " ".join(command.about.split()).strip(" ,;:-\u2013\u2014.!\u3002\uff01")
    if len(plain) > LONGEST_STATEMENT:
        plain = plain[:LONGEST_STATEMENT].rpartition(" ")[0] or plain[:LONGEST_STATEMENT]
    return plain[:1].upper() + plain[1:]
