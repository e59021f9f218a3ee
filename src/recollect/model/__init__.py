"""The nouns of memory, as frozen values.

Never: pydantic, SQL, JSON, I/O. Times are timezone-aware; ids are UUIDs of version 7 (RFC 9562).
"""

from recollect.model.audit import Backlog, Erasure, Outcome, Update
from recollect.model.change import Add, Change, Hide, Ignore, Mark, Quarantine, Reinforce, Replace, Retire
from recollect.model.chat import ROOT, Chat, Exchange, Injection, LoggedExchange, Message, Scope, Turn
from recollect.model.flags import Flags
from recollect.model.formed import Caps, Formed, Pending, Quarantined, Usage
from recollect.model.found import Hit, Item, Lexicon, Occurrences, Passage, Statement
from recollect.model.log import IndexedChunk, IndexedMessage, LoggedMessage, UnembeddedChunk
from recollect.model.memory import COMMONS, Candidate, Memory, Neighbor, Outline, Page, Provenance, Vector
from recollect.model.recall import Recall, Recollection
from recollect.model.request import RequestRecord
from recollect.model.words import (
    STATEMENTS,
    Action,
    Actor,
    Drop,
    Fallback,
    Judging,
    Kind,
    Place,
    Placement,
    Progress,
    Reason,
    Relation,
    Role,
    Skip,
    Source,
    Stage,
    Standing,
    Strategy,
)

__all__ = [
    "COMMONS",
    "ROOT",
    "STATEMENTS",
    "Action",
    "Actor",
    "Add",
    "Backlog",
    "Candidate",
    "Caps",
    "Change",
    "Chat",
    "Drop",
    "Erasure",
    "Exchange",
    "Fallback",
    "Flags",
    "Formed",
    "Hide",
    "Hit",
    "Ignore",
    "IndexedChunk",
    "IndexedMessage",
    "Injection",
    "Item",
    "Judging",
    "Kind",
    "Lexicon",
    "LoggedExchange",
    "LoggedMessage",
    "Mark",
    "Memory",
    "Message",
    "Neighbor",
    "Occurrences",
    "Outcome",
    "Outline",
    "Page",
    "Passage",
    "Pending",
    "Place",
    "Placement",
    "Progress",
    "Provenance",
    "Quarantine",
    "Quarantined",
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
    "Standing",
    "Statement",
    "Strategy",
    "Turn",
    "UnembeddedChunk",
    "Update",
    "Usage",
    "Vector",
]
