"""The words of a chat: turns, answers, exchanges, its requests to the memory; and the message log that keeps them, by phases and indexed parts."""

from collections.abc import Awaitable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import TypeAlias
from uuid import UUID

from recollect.model.audit import Update
from recollect.model.enumerations import FailedAt, Phase, Place, Role, Written
from recollect.model.memory import Memory, Outline, Vector
from recollect.model.recall import RequestRecord, Statement
from recollect.model.runtime_settings import Disclosure, Flags, Guidance
from recollect.model.scopes import Scope, Team, Versions


@dataclass(frozen=True, slots=True)
class Message:
    """A message: its author's role, its text, and the name of the person who speaks."""

    role: Role
    text: str
    speaker: str | None = None


_LONGEST_NAME = 100

UNNAMED = "fp:"
"""The beginning of a session's id if its frontend gave none, so that its first message identifies it."""

LONGEST_ANSWERED = 800
"""Characters of an answer's end that the log keeps with the next turn: 200 for a question, and 600 before it."""

ROOT = "^"
"""The parent of a chat's first message."""


@dataclass(frozen=True, slots=True)
class Turn:
    """A message that a user just sent to a model, with the messages before it.

    Attributes:
        text: The user's own words: wrapping, attachments and injected context removed. "" if there are none: the
            user sent a photo, a recording or a file alone.
        key: Identifies this turn in its session: the frontend's id of
            the user message, else a hash of the conversation up to and with it.
        history: The messages before it in the request, oldest first, without those of the system.
        speaker: The name the user goes by in this message, if the request gives one.
        anchors: For each message of the user in the request, the turn's own last: its position there, and
            the key that identifies it in later requests of the chat.
        prompt: The newest texts of the request, which memories are compared with; also of the system and of documents.
        is_whole: Whether the request carries the chat from its beginning; None if unknown.
        parent: The frontend's id of the message it follows on; ROOT for a chat's first message. Two turns of a chat
            with one parent are two versions of one message. None if unknown.
        upstream: The name of the LLM server that it goes to, of several; "": the default one.
        begun_answer: The beginning of its answer, if the request carries it and asks to continue it; else "".
        has_document: Whether its request carries a document: a file, or text that a frontend retrieved for the question.
        follows: The id of the answer before it, if the LLM's server keeps the chat; else "".
        is_kept: Whether that server keeps the earlier messages, under that id or the chat's own.
        name: The name of the user in its request, as the frontend shows it; "": none.
        of_bound_key: Whether its key is for one project alone, and changes nothing of the person as a whole.
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
    is_kept: bool = False
    has_document: bool = False
    zone: str = ""
    name: str = field(default="", repr=False)
    of_bound_key: bool = False

    @property
    def anchor(self) -> str:
        """The key that identifies the turn's own message in later requests; the turn's key if the request gives no better one."""
        return self.anchors[-1][1] if self.anchors else self.key

    @property
    def last_answer(self) -> str:
        """The answer right before the turn; "" if there is none."""
        return self.history[-1].text if self.history and self.history[-1].role is Role.ASSISTANT else ""

    @property
    def answered(self) -> str:
        """The end of the answer before the turn; "" if there is none."""
        return self.last_answer[-LONGEST_ANSWERED:]

    def whole_answer(self, reply: str) -> str:
        """Return a whole answer, given the part that arrived; some servers repeat its beginning."""
        is_whole = not reply.strip() or reply.startswith(self.begun_answer)
        return reply if is_whole else self.begun_answer + reply


@dataclass(frozen=True, slots=True)
class Injection:
    """A block that was added to a turn's prompt, kept so that it can be added again byte for byte.

    Attributes:
        anchor: The message of the user that it belongs to.
        listed: The memories that it numbers for the user, in order; set when the block is to be noted.
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
    """An exchange of a chat, as its history needs it.

    Attributes:
        turn_index: Its place in the chat; counts up by two.
        carried: The number of messages before it in its request, if counted.
    """

    key: str
    turn_index: int
    said: str
    reply: str
    speaker: str | None = None
    carried: int | None = None
    anchor: str | None = None


_ONCE_MORE = timedelta(hours=1)


@dataclass(frozen=True, slots=True)
class Chat:
    """A chat as the log knows it when its next turn comes.

    Attributes:
        injections: The blocks in its prompts, oldest first.
        exchanges: Its last exchanges, oldest first, without those that may not be recalled.
        summary: Its newest summary; "" if there is none.
        done: The user's wishes in this chat (to remember, forget, correct) that were carried out since its last turn.
        abandoned: The messages of other versions of the next turn, and those after the first of them.
        own: In a project's chat, those of the person's own memory; None if it is not recalled there.
        team: In a team's chat, the team; None where the person is not in it.
        of_team: There, the versions of the parts that are recalled, by their ids.
    """

    injections: tuple[Injection, ...] = ()
    exchanges: tuple[LoggedExchange, ...] = ()
    summary: str = ""
    done: tuple[Update, ...] = ()
    flags: Flags = field(default_factory=Flags)
    abandoned: frozenset[UUID] = frozenset()
    versions: Versions | None = None
    own: Versions | None = None
    team: Team | None = None
    of_team: Mapping[str, Versions] = field(default_factory=dict)

    def as_told(self, disclosure: Disclosure) -> "Chat":
        """Return the part that the LLM's server may see."""
        if disclosure.is_whole:
            return self
        # Earlier blocks may have been made for another server; this one gets a new one with each turn.
        bare = replace(self, injections=(), done=())
        return bare if disclosure.history else replace(bare, exchanges=(), summary="")

    def begins_anew(self, turn: Turn) -> bool:
        """Return whether this turn begins a new chat with the same words as this one, if only words distinguish them.

        If the words come again soon, it is the same turn sent once more.
        """
        if turn.history or turn.follows or not turn.scope.session_id.startswith(UNNAMED):
            return False
        first = next((each for each in self.injections if each.anchor == turn.anchor), None)
        return first is not None and turn.at - first.at > _ONCE_MORE


@dataclass(frozen=True, slots=True)
class Failure:
    """The kind of an answer's failure; never the words of the model's server, which may hold a secret."""

    stage: FailedAt
    status: int | None = None


@dataclass(frozen=True, slots=True)
class Exchange:
    """A turn and its reply, as the message log keeps it.

    Attributes:
        reply: The model's answer; "" if the user left before its first word.
        authorized: Whether the request carried a credential. The credential itself is never kept.
        credential: The request's own ``Authorization`` value, kept in memory alone and hidden from ``repr``.
        injected: The blocks in prompts of its chat; set when memories are to be formed from it.
        share: The part of the usual length that a model reads of it and may answer: less after it took too long.
        answer_id: The id under which the LLM's server keeps the answer; "" if it keeps none.
        continues: Whether its request asked to have a begun answer continued.
        guidance: The instructions for the model; set when memories are to be formed from it.
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
    guidance: Guidance = field(default_factory=Guidance, repr=False, compare=False)

    @property
    def answer(self) -> str:
        """The reply as far as it counts: of a failed one nothing does, unless the user stopped it."""
        stopped = self.failure is None or self.failure.stage is FailedAt.CLIENT
        return self.reply if stopped and self.reply.strip() else ""


LISTED = "listed"
"""The value of ``KeptRequest.asking`` if the answer listed all memories."""


@dataclass(frozen=True, slots=True)
class KeptRequest:
    """A message of a chat that asked something of the memory, or was answered by a numbered list.

    Attributes:
        asking: The request, by its name in `recollect.text.memory_requests`; or LISTED.
        items: The memories that were listed, in the order of their numbers, or that it took away.
    """

    anchor: str
    asking: str
    items: tuple[UUID, ...]
    at: datetime


@dataclass(frozen=True, slots=True)
class CarriedOut:
    """The outcome of a message's request to the memory, and its name in `recollect.text.memory_requests` if it switched memory on or off."""

    report: str
    updates: tuple[Update, ...] = ()
    switched: str = ""


@dataclass(frozen=True, slots=True)
class LastExchange:
    """One of the exchanges before a turn: whether a request in it was carried out and not undone, and whether its answer showed changes from earlier ones."""

    key: str
    anchor: str | None
    did_as_asked: bool
    told_news: bool


@dataclass(frozen=True, slots=True)
class PointedAt:
    """The earlier requests and exchanges that a message in a chat may refer to, newest first."""

    requests: tuple[KeptRequest, ...] = ()
    exchanges: tuple[LastExchange, ...] = ()


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


def speaker_of(name: str | None) -> str:
    """Return a speaker's name in one line, shortened; "" for none."""
    return " ".join((name or "").split())[:_LONGEST_NAME]


def several_speakers(exchanges: Sequence[Exchange]) -> tuple[str, ...]:
    """Return the names of all people who write as the user in exchanges of one chat and before them; none for one person alone.

    Clients of chat rooms send the name with each message. A first name and a full name that begins with it are one person's.
    """
    named = [
        *(each.speaker for exchange in exchanges for each in exchange.turn.history if each.role is Role.USER),
        *(exchange.turn.speaker for exchange in exchanges),
    ]
    names = {f"{name} ".casefold(): name for name in map(speaker_of, named) if name}
    people = [
        name for key, name in names.items() if not any(each != key and each.startswith(key) for each in names)
    ]
    return tuple(people) if len(people) > 1 else ()
