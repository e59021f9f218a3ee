"""The nouns of memory, as frozen values.

Never: pydantic, SQL, JSON, I/O. Times are timezone-aware; ids are UUIDs of version 7 (RFC 9562).
"""

from recollect.model.change import Add, Backlog, Change, Erasure, Ignore, Reinforce, Replace, Retire, Update
from recollect.model.chat import Exchange, Message, Scope, Turn
from recollect.model.memory import COMMONS, Candidate, Memory, Page, Provenance, Recall, Recollection, Vector
from recollect.model.words import STATEMENTS, Action, Actor, Kind, Reason, Relation, Role, Skip, Source

__all__ = [
    "COMMONS",
    "STATEMENTS",
    "Action",
    "Actor",
    "Add",
    "Backlog",
    "Candidate",
    "Change",
    "Erasure",
    "Exchange",
    "Ignore",
    "Kind",
    "Memory",
    "Message",
    "Page",
    "Provenance",
    "Reason",
    "Recall",
    "Recollection",
    "Reinforce",
    "Relation",
    "Replace",
    "Retire",
    "Role",
    "Scope",
    "Skip",
    "Source",
    "Turn",
    "Update",
    "Vector",
]
