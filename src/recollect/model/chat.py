"""What is said in a chat."""

from collections.abc import Awaitable
from dataclasses import dataclass, field
from datetime import datetime
from typing import TypeAlias
from uuid import UUID

from recollect.model.audit import Update
from recollect.model.flags import Flags
from recollect.model.words import FailedAt, Phase, Place, Role, Written


@dataclass(frozen=True, slots=True)
class Scope:
    """Whose memories, and in which session (a chat). The first argument of every store method."""

    user_id: str
    session_id: str


@dataclass(frozen=True, slots=True)
class Message:
    """One thing said: by whom, and what."""

    role: Role
    text: str
    speaker: str | None = None


UNNAMED = "fp:"
"""How the id of a session begins that its frontend gave none, and that is known by its first message."""

LONGEST_ANSWERED = 800
"""Characters of an answer's end that are kept of it with the turn behind it: a question in its last 200, and 600 before that."""

ROOT = "^"
"""What the first message of a chat follows on."""


@dataclass(frozen=True, slots=True)
class Turn:
    """What a user just said to a model, with what was said before it.

    Attributes:
        scope: Whose turn it is.
        text: The user's own words: wrapping, attachments and injected context removed. "" where there are none: a photo, a
            recording or a file was sent alone.
        key: What makes this turn another than any other of its session: the frontend's id of
            the user message, else a hash of the conversation up to and with it.
        history: What came before in the request, oldest first, system messages left out.
        model: The model the request names.
        speaker: The name the user goes by in this message, if the request gives one.
        at: When it was said.
        anchors: Of each message of the user in the request, the turn's own last: its position there, and
            the key by which it is known again in later requests of the chat.
        prompt: All texts the request carries, also those of the system and of documents.
        is_whole: Whether the request is known to carry everything that was said before; None: it is not known.
        marked: Whether someone called it valuable.
        parent: The frontend's id of the message it follows on; ROOT for a chat's first message. Two turns of a chat
            with one parent are two versions of one message. None: it is not known.
        upstream: Which of several LLM servers it is said to, by its name; "": to the one that is the default.
        begun_answer: How its answer begins, where the request carries that and asks to have it continued; else "".
        has_document: Whether its request carries a document: a file, or what a frontend retrieved for the question.
        follows: The id of the answer that it follows, where the LLM's server keeps what was said before; else "".
        zone: The time zone that its request tells; "": none.
    """

    scope: Scope
    text: str
    key: str
    at: datetime
    model: str
    history: tuple[Message, ...] = ()
    speaker: str | None = None
    anchors: tuple[tuple[int, str], ...] = ()
    prompt: tuple[str, ...] = field(default=(), repr=False)
    is_whole: bool | None = None
    marked: bool = False
    parent: str | None = None
    upstream: str = ""
    begun_answer: str = field(default="", repr=False)
    follows: str = ""
    has_document: bool = False
    zone: str = ""

    @property
    def anchor(self) -> str:
        """The key by which the turn's own message is known again; its key, where the request gives no better."""
        return self.anchors[-1][1] if self.anchors else self.key

    @property
    def answered(self) -> str:
        """The end of the answer that the turn comes behind; "" if none does."""
        behind = self.history[-1:]
        return next((each.text[-LONGEST_ANSWERED:] for each in behind if each.role is Role.ASSISTANT), "")

    def whole_answer(self, reply: str) -> str:
        """Return the whole of an answer of which this much arrived; some servers repeat how it began."""
        is_whole = not reply.strip() or reply.startswith(self.begun_answer)
        return reply if is_whole else self.begun_answer + reply


@dataclass(frozen=True, slots=True)
class Injection:
    """What was added to a turn's prompt, so that it can be added again byte for byte.

    Attributes:
        anchor: Which message of the user it belongs to.
        place: Where it stands.
        block: The text.
        items: The memories, and the messages of the log, that it speaks of.
        tokens: What it takes.
        at: When it was added first.
        standing: Whether it holds what stands in every chat.
        listed: The memories that it numbers for the user, in their order; told where it is to be noted.
    """

    anchor: str
    place: Place
    block: str
    items: tuple[UUID, ...]
    tokens: int
    at: datetime
    standing: bool = False
    listed: tuple[UUID, ...] = ()


@dataclass(frozen=True, slots=True)
class LoggedExchange:
    """An exchange of a chat, as its history is told from.

    Attributes:
        key: The turn's key.
        turn_index: Its place in the chat; counts up by two.
        said: What the user said.
        reply: What was answered; "" if nothing was.
        speaker: The name the user went by.
        carried: How many messages before it its request carried, if that was counted.
        anchor: By which the user's message is known again.
    """

    key: str
    turn_index: int
    said: str
    reply: str
    speaker: str | None = None
    carried: int | None = None
    anchor: str | None = None


@dataclass(frozen=True, slots=True)
class Chat:
    """What is known of a chat when the next turn of it comes.

    Attributes:
        injections: What was added to its prompts, oldest first.
        exchanges: Its last exchanges, oldest first, but those that are to be recalled no more.
        summary: Its newest summary; "" if there is none.
        done: What the user asked for in this chat (to remember, forget, correct) and was done since its last turn.
        flags: What is otherwise than the settings have it, for its user.
        abandoned: The messages of other versions of the turn that comes, and what was said in the chat after the first.
    """

    injections: tuple[Injection, ...] = ()
    exchanges: tuple[LoggedExchange, ...] = ()
    summary: str = ""
    done: tuple[Update, ...] = ()
    flags: Flags = field(default_factory=Flags)
    abandoned: frozenset[UUID] = frozenset()


@dataclass(frozen=True, slots=True)
class Failure:
    """How an answer failed; never in the words of the model's server, which may hold a secret.

    Attributes:
        stage: At which stage.
        status: The status of the server's error; None where it sent none.
    """

    stage: FailedAt
    status: int | None = None


@dataclass(frozen=True, slots=True)
class Exchange:
    """A turn and its reply, as the message log keeps it.

    Attributes:
        id: The exchange's own id.
        turn: What the user said.
        reply: What the model answered; "" when the user left before the first word.
        message_id: The id under which the user's message stands in the message log.
        reply_id: The id of the reply there.
        authorized: Whether the request carried a credential. The credential itself is never kept.
        credential: The request's own ``Authorization`` value, while this process lives; never
            written down, never shown by ``repr``.
        injected: The blocks that were added to prompts of its chat; filled where it is to be formed.
        share: What part of the usual a model is shown of it, and may answer: less where that took it too long.
        answer_id: The id under which the LLM's server keeps the answer; "" if it keeps none.
        continues: Whether its request asked to have a begun answer continued.
        failure: How its answer failed; None where it did not.
    """

    id: UUID
    turn: Turn
    reply: str
    message_id: UUID
    reply_id: UUID
    authorized: bool = False
    credential: str | None = field(default=None, repr=False, compare=False)
    injected: tuple[str, ...] = field(default=(), repr=False)
    share: float = 1.0
    answer_id: str = ""
    continues: bool = False
    failure: Failure | None = None

    @property
    def answer(self) -> str:
        """The reply as far as it counts: what came of one that failed does not, but for one that its person stopped."""
        stopped = self.failure is None or self.failure.stage is FailedAt.CLIENT
        return self.reply if stopped and self.reply.strip() else ""


@dataclass(frozen=True, slots=True)
class LogEntry:
    """A phase of an exchange, as it is to be written to the message log.

    To write one twice changes nothing more: what it is about is known by the exchange's ids and key.

    Attributes:
        phase: Which.
        exchange: Of which exchange; its reply counts only where it ENDED.
        recalled: Which memories went into its prompt; they count only where it ENDED.
    """

    phase: Phase
    exchange: Exchange
    recalled: tuple[UUID, ...] = ()


Became: TypeAlias = Written | Awaitable[Written] | None
"""What became of an entry in the message log; where it waits for that, what will tell. None: it is lost, not wanted, or
what ended its exchange says it too."""
