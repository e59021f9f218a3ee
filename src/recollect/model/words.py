"""The enumerated words of the model."""

from enum import StrEnum


class Role(StrEnum):
    """Who spoke in a chat, in the words of the chat completions API."""

    SYSTEM = "system"
    DEVELOPER = "developer"
    USER = "user"
    ASSISTANT = "assistant"
    TOOL = "tool"


class Kind(StrEnum):
    """What sort of statement a memory is."""

    FACT = "fact"
    PREFERENCE = "preference"
    INSIGHT = "insight"
    DECISION = "decision"
    TODO = "todo"
    ENTITY = "entity"
    SUMMARY = "summary"
    QA_TURN = "qa_turn"
    PROFILE = "profile"


STATEMENTS = frozenset({Kind.FACT, Kind.PREFERENCE, Kind.INSIGHT, Kind.DECISION, Kind.TODO, Kind.ENTITY})
"""The kinds of single statements: what is extracted, and what can be repeated or replaced."""


class Source(StrEnum):
    """How a memory came to be."""

    EXTRACTED = "extracted"
    MANUAL = "manual"
    SUMMARY = "summary"
    QA_TURN = "qa_turn"
    IMPORT = "import"
    GLOBAL = "global"


class Actor(StrEnum):
    """Who changed a store."""

    FORMATION = "formation"
    USER = "user"
    ADMIN = "admin"
    PRUNE = "prune"
    IMPORT = "import"


class Relation(StrEnum):
    """What a candidate is to an existing memory."""

    NEW = "new"
    REPEATS = "repeats"
    REFINES = "refines"
    CONTRADICTS = "contradicts"


class Reason(StrEnum):
    """Why a candidate or a memory was changed or left alone."""

    NEW = "new"
    KEPT_VERBATIM = "kept_verbatim"
    EQUAL_CONTENT = "equal_content"
    REPEATS = "repeats"
    REFINES = "refines"
    CONTRADICTS = "contradicts"
    NOT_NEWER = "not_newer"
    EMPTY = "empty"
    TOO_LONG = "too_long"
    TOO_MANY = "too_many"
    LOW_IMPORTANCE = "low_importance"
    NO_EVIDENCE = "no_evidence"
    EDITED = "edited"
    WRITTEN = "written"
    DELETED = "deleted"


class Skip(StrEnum):
    """Why a turn was not recalled for, or an exchange not remembered."""

    NO_IDENTITY = "no-identity"
    BAD_IDENTITY = "bad-identity"
    TASK = "task"
    TEMPORARY = "temporary"
    CHANNEL = "channel"
    UNREADABLE = "unreadable"
    TOO_LARGE = "too-large"
    EMPTY = "empty"
    DEADLINE = "deadline"
    STORE = "store"
    EMBEDDER = "embedder"
    NOTHING_RELEVANT = "nothing-relevant"
    FAILED = "failed"


class Action(StrEnum):
    """What an audit row says was done to a memory."""

    ADD = "add"
    REPLACE = "replace"
    REINFORCE = "reinforce"
    RETIRE = "retire"
    EDIT = "edit"
