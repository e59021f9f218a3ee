"""The message log: the phases of a turn, the parts and vectors that index it, and what of it is to be summarized."""

from collections.abc import Awaitable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import TypeAlias
from uuid import UUID

from recollect.model.chat import Exchange, Injection, Message
from recollect.model.enumerations import Phase, Role, Written
from recollect.model.flags import Guidance
from recollect.model.memory import Memory, Outline, Vector
from recollect.model.recall import RequestRecord, Statement


@dataclass(frozen=True, slots=True)
class TurnNotes:
    """The notes on a turn, which only the store keeps, never the spool; the chat no longer gets the blocks of the anchors ``detached``."""

    injection: Injection | None = None
    detached: tuple[str, ...] = ()
    request: RequestRecord | None = None


@dataclass(frozen=True, slots=True)
class LogEntry:
    """A phase of an exchange, to be written to the message log; only one that ENDED has a reply, and the memories in its prompt.

    To write one twice changes nothing more: the exchange's ids and key identify it.
    """

    phase: Phase
    exchange: Exchange
    recalled: tuple[UUID, ...] = ()
    notes: TurnNotes | None = None


@dataclass(frozen=True, slots=True)
class Logged:
    """The outcome of a phase in the message log, and the id of its exchange there: another's where the log had the turn, by its key.

    ``told_zone`` is the time zone that an earlier request of the user named; "" if none did.
    """

    outcome: Written
    id: UUID
    told_zone: str = ""


Became: TypeAlias = Written | Awaitable[Written] | None
"""The outcome of an entry in the message log, or an awaitable of it while the entry waits. None: it is lost, not wanted, or
the entry that ended its exchange includes it."""


@dataclass(frozen=True, slots=True)
class LoggedMessage:
    """A message of the log that is not indexed yet.

    Attributes:
        before: The message right before it in its session; "" if there is none.
        before_id: Its id.
        marked: Whether someone called it valuable.
        failed: Whether its turn got no answer because the model failed.
        taught: Whether a memory was formed of its turn.
    """

    id: UUID
    role: Role
    content: str
    said_at: datetime
    speaker: str | None = None
    before: str = ""
    marked: bool = False
    failed: bool = False
    taught: bool = False
    before_id: UUID | None = None


@dataclass(frozen=True, slots=True)
class IndexedChunk:
    """A part of a message, with its entries in the index.

    Attributes:
        begins: Where in the message it begins, in characters.
        code: Whether it is a block of code.
        terms: The count of each term in it.
        context: The same for words outside it that also find it: the speaker, the date, the message before.
        vectors: Its embeddings, one for each window an embedder can read; empty if it has none (yet).
        embeddable: Whether it is to have embeddings.
        pasted: Whether it is a paste: others wrote it, or a machine did.
        cuts: The ranges of others' words within the person's message: beginning, end, beginning, end, ...
    """

    begins: int
    ends: int
    code: bool
    terms: Mapping[str, int]
    context: Mapping[str, int]
    vectors: tuple[Vector, ...] = ()
    embeddable: bool = True
    pasted: bool = False
    cuts: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class IndexedMessage:
    """A message of the log, ready to be found.

    Attributes:
        chunks: Its parts, in order; none of a message that holds no words.
        head: How often each term occurs in its beginning, by which recall also finds the message before it.
        statement: The features of its words.
        context_of: The message before it, if its context has words of that.
    """

    id: UUID
    chunks: tuple[IndexedChunk, ...]
    head: Mapping[str, int]
    embedding_model: str
    statement: Statement | None = None
    context_of: UUID | None = None


@dataclass(frozen=True, slots=True)
class UnembeddedChunk:
    """A chunk, by its number among the user's documents, that is to have embeddings of the embedder in use, and has none."""

    document: int
    content: str


@dataclass(frozen=True, slots=True)
class Material:
    """The material of a summary: the messages since the last one, oldest first, and when the last was said, by its person's clock; None if that is not known."""

    messages: tuple[Message, ...]
    before: str = ""
    outline: Outline = field(default_factory=Outline)
    at: datetime | None = None
    guidance: Guidance = field(default_factory=Guidance, repr=False, compare=False)


@dataclass(frozen=True, slots=True)
class Conversation:
    """The part of a chat that is to be summarized.

    Attributes:
        message_ids: The ids of these messages and of the last summary's messages.
        last_turn: The highest turn index among them.
        authorized: Whether that one's request carried a credential.
        upstream: The name of its LLM server; "": the default one.
    """

    session_id: str
    material: Material
    message_ids: tuple[UUID, ...]
    last_turn: int
    summary: Memory | None
    model: str
    authorized: bool
    exchange_id: UUID
    upstream: str = ""
