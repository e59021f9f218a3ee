"""The message log as it is indexed: messages that are not indexed yet, and the parts, terms and vectors that index them."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from recollect.model.found import Statement
from recollect.model.memory import Vector
from recollect.model.words import Role


@dataclass(frozen=True, slots=True)
class LoggedMessage:
    """A message of the log that is not indexed yet.

    Attributes:
        speaker: The name of who said it, if known.
        before: The message right before it in its session; "" if there is none.
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
    language: str | None
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
    """

    id: UUID
    chunks: tuple[IndexedChunk, ...]
    head: Mapping[str, int]
    embedding_model: str
    statement: Statement | None = None


@dataclass(frozen=True, slots=True)
class UnembeddedChunk:
    """A chunk that is to have embeddings of the embedder in use, and has none.

    Attributes:
        document: Its number among the user's documents.
    """

    document: int
    content: str
