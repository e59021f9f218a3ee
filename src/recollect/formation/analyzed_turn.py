"""A turn as formation analyzes it: attribution, memory commands, secrets and injected instructions. Pure.

A model understands a wish to remember, forget or correct in any words (`understood_commands`). Without a model, a
short closed list of first words counts as a wish; the words after them are the statement.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import islice

from recollect.model import Asking, Change, Exchange, Hide, Memory, Reason, several_speakers, speaker_of
from recollect.ports import Asker
from recollect.text.attribution import Attribution, attribute
from recollect.text.cues import is_small_talk
from recollect.text.lexical.letters import ends_asking, last_question
from recollect.text.memory_requests import read_memory_request, read_opening
from recollect.text.prompt_injection import contains_takeover, is_instruction
from recollect.text.secrets import holds_secret
from recollect.text.secrets.masking import with_masked_history

_READ_FOR_ORDERS = 4_000
"""Characters of a message that are read: a link's text is shorter, and the end of a long page is skipped."""
_LINES_FOR_ORDERS = 100
"""Different lines of it: an order has a few, a table or a log has hundreds that are none."""
_ASKED = 200
"""Characters at the end of the assistant's last message in which it asks something."""
_READ_FOR_SECRETS = 200_000
"""Characters of a message: as many as are found again. The text after that is quoted nowhere."""
LONGEST_STATEMENT = 500
"""Characters of a statement."""


@dataclass(frozen=True, slots=True)
class MemoryCommand:
    """A command to the memory.

    Attributes:
        about: The statement to remember, to forget or to correct, in the person's words; "" for none.
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


@dataclass(frozen=True, slots=True)
class AnalyzedTurn:
    """A turn that memories are to be formed from.

    Attributes:
        exchange: The turn and its reply, their secrets masked.
        commands: The person's requests to the memory, as a model understands them; without a model, as the form of the message
            shows them.
        holds_secret: Whether the log has a secret in clear, in the turn or its reply: recall of the log leaves the turn out.
        injects_instruction: Whether the message holds what takes an assistant over. Also if it is no word of theirs: text that is
            pasted or comes through a link is in the log, too.
        gives_instruction: Whether there is a sentence in it that as a statement would have to be approved.
    """

    exchange: Exchange
    attribution: Attribution
    commands: tuple[MemoryCommand, ...] = ()
    holds_secret: bool = False
    injects_instruction: bool = False
    gives_instruction: bool = False

    def asks(self, *askings: Asking) -> bool:
        """Return whether the turn holds a command of one of these kinds."""
        return any(each.asking in askings for each in self.commands)

    @property
    def words(self) -> str:
        """The person's own words."""
        return self.attribution.authored

    @property
    def is_informative(self) -> bool:
        """Whether a model is asked: there are words, and more than greetings and thanks or a request to the memory.

        An "ok", a "yes" or a thumb up may confirm a question that the assistant asked before.
        """
        is_answer = last_question(self.attribution.answered[-_ASKED:]) >= 0
        if not any(map(str.isalnum, self.words)):
            is_sign = bool(self.words) and is_answer
            return is_sign or any(map(str.isalnum, self.attribution.doubtful))
        if read_memory_request(self.words) is not None:  # "forget number 2" was answered when it came
            return False
        return (is_answer and bool(self.attribution.confirmed)) or not is_small_talk(self.words)

    @property
    def extractor_input(self) -> Exchange:
        """The exchange for an extractor: the person's own words, and marks in place of the rest."""
        shown = self.attribution.shown if self.words or self.attribution.doubtful else ""
        return replace(self.exchange, turn=replace(self.exchange.turn, text=shown))

    @property
    def hidden_messages(self) -> list[Change]:
        """Changes that hide the message from recall, because it holds a secret or an injected instruction."""
        if self.holds_secret:
            return [Hide((self.exchange.message_id,), Reason.CONFIDENTIAL)]
        if self.injects_instruction:
            return [Hide((self.exchange.message_id,), Reason.INSTRUCTION)]
        return []

    @property
    def asker(self) -> Asker:
        """On whose behalf models are called for it."""
        exchange = self.exchange
        turn = exchange.turn
        return Asker(
            turn.scope.user_id, turn.model, exchange.authorized, exchange.credential, upstream=turn.upstream
        )


def analyze_turn(exchange: Exchange) -> AnalyzedTurn:
    """Analyze an exchange. A megabyte takes seconds, so this never runs on the event loop of streams."""
    masked = with_masked_history(exchange)
    attribution = attribute(masked)
    return AnalyzedTurn(
        masked,
        attribution,
        holds_secret=(masked.turn.text, masked.reply) != (exchange.turn.text, exchange.reply),
        injects_instruction=_injects_instruction(attribution),
        gives_instruction=is_instruction(attribution.authored[:_READ_FOR_ORDERS]),
    )


def must_be_hidden(text: str) -> bool:
    """Return whether a message of the log may never be recalled, whatever is learned from it."""
    return holds_secret(text[:_READ_FOR_SECRETS]) or _orders(text)


def _injects_instruction(attribution: Attribution) -> bool:
    return _orders(
        "\n".join(piece[:_READ_FOR_ORDERS] for piece in (attribution.authored, *attribution.elsewhere))
    )


def _orders(text: str) -> bool:
    lines = dict.fromkeys(line for line in text[:_READ_FOR_ORDERS].splitlines() if line.strip())
    return any(map(contains_takeover, islice(lines, _LINES_FOR_ORDERS)))


def attributions_of(turns: Sequence[AnalyzedTurn], known: Sequence[Memory]) -> list[Attribution]:
    """Return the attributions by which a model's answer is verified.

    A model echoes the memories that an extractor was shown as well as those in a prompt: neither are words of the person.
    """
    shown = tuple(memory.content for memory in known)
    names = several_speakers([each.exchange for each in turns])
    return [
        replace(
            each.attribution,
            injected=(*each.attribution.injected, *shown),
            speaker=(speaker := speaker_of(each.exchange.turn.speaker)),
            others=tuple(name for name in names if name.casefold() != speaker.casefold()),
        )
        for each in turns
    ]
