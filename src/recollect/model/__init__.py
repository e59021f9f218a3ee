"""The nouns of memory, as frozen values.

Never: pydantic, SQL, JSON, I/O. Times are timezone-aware; ids are UUIDs of version 7 (RFC 9562).
"""

from recollect.model.change import Add, Backlog, Change, Erasure, Ignore, Reinforce, Replace, Retire, Update
from recollect.model.chat import Chat, Exchange, Injection, LoggedExchange, Message, Scope, Turn
from recollect.model.found import Hit, Item, Lexicon, Occurrences, Passage, Statement
from recollect.model.log import IndexedChunk, IndexedMessage, LoggedMessage, UnembeddedChunk
from recollect.model.memory import COMMONS, Candidate, Memory, Neighbor, Page, Provenance, Vector
from recollect.model.recall import Recall, Recollection
from recollect.model.request import RequestRecord
from recollect.model.words import (
    STATEMENTS,
    Action,
    Actor,
    Drop,
    Kind,
    Place,
    Placement,
    Reason,
    Relation,
    Role,
    Skip,
    Source,
    Stage,
)

__all__ = [
    "COMMONS",
    "STATEMENTS",
    "Action",
    "Actor",
    "Add",
    "Backlog",
    "Candidate",
    "Change",
    "Chat",
    "Drop",
    "Erasure",
    "Exchange",
    "Hit",
    "Ignore",
    "IndexedChunk",
    "IndexedMessage",
    "Injection",
    "Item",
    "Kind",
    "Lexicon",
    "LoggedExchange",
    "LoggedMessage",
    "Memory",
    "Message",
    "Neighbor",
    "Occurrences",
    "Page",
    "Passage",
    "Place",
    "Placement",
    "Provenance",
    "Reason",
    "Recall",
    "Recollection",
    "Reinforce",
    "Relation",
    "Replace",
    "RequestRecord",
    "Retire",
    "Role",
    "Scope",
    "Skip",
    "Source",
    "Stage",
    "Statement",
    "Turn",
    "UnembeddedChunk",
    "Update",
    "Vector",
]
