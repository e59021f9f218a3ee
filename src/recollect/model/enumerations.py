"""The enumerations: kinds, sources, reasons, phases and the other words that the code decides by."""

from enum import StrEnum


class Role(StrEnum):
    """The authors of messages, in the words of the chat completions API."""

    SYSTEM = "system"
    DEVELOPER = "developer"
    USER = "user"
    ASSISTANT = "assistant"
    TOOL = "tool"


class Kind(StrEnum):
    """The kinds of memories."""

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
"""The kinds of single statements, which are extracted, repeated and replaced."""


SHOWN = frozenset(Kind) - {Kind.QA_TURN}
"""The kinds in a list without a named kind: a verbatim exchange is no statement, and its chat shows it."""


class Source(StrEnum):
    """How a memory came to be."""

    EXTRACTED = "extracted"
    MANUAL = "manual"
    SUMMARY = "summary"
    QA_TURN = "qa_turn"
    IMPORT = "import"
    GLOBAL = "global"


class Actor(StrEnum):
    """The actors that change a store."""

    FORMATION = "formation"
    USER = "user"
    ADMIN = "admin"
    PRUNE = "prune"
    IMPORT = "import"
    AGENT = "agent"
    """A program that uses the memory for a person; its model writes, and no person has approved the text."""


class Strategy(StrEnum):
    """How an exchange becomes memories."""

    EXTRACT = "extract"
    """By a model that finds the statements in it; while none can be asked it waits."""
    QA_TURN = "qa_turn"
    """Question and answer are kept as they are, without a model."""
    BOTH = "both"
    OFF = "off"
    """It is logged, and nothing is formed of it."""


class Unread(StrEnum):
    """Why no model has read an exchange that counts as formed: once one can, the exchange is formed again."""

    OFF = "off"
    """The operator had formation off."""
    NO_MODEL = "no_model"
    """The deployment had no model at all."""
    UNREADABLE = "unreadable"
    """Its answer broke off: the whole part is kept, and the rest is still to be found."""


class Awaits(StrEnum):
    """The reasons why an exchange waits, mostly for a model."""

    KEY = "key"
    """The person's own key, which another process may keep, or their next chat brings; or one that the operator sets."""
    MODEL = "model"
    """A model: none is named, or its server has none of that name."""
    OUTAGE = "outage"
    """The model's server, which is away, busy or broken."""
    BUDGET = "budget"
    """The next day: what may be taken of this one is spent."""
    UNREADABLE = "unreadable"
    """A model that answers so that it can be read, and in time."""
    APPROVAL = "approval"
    """Its person, who has so many memories to approve that the list is full."""
    GIVEN_UP = "given-up"
    """Another model, or that it is asked for: it could not be read however often it was tried. Counted so, never stored."""


class Doubt(StrEnum):
    """The doubts about a memory that is still kept."""

    DISPUTED = "disputed"
    """Something older, told later, says otherwise."""
    SUSPECT = "suspect"
    """It depended on something that is so no longer."""


class Ending(StrEnum):
    """The ways in which a statement ends that was true until then."""

    CHANGED = "changed"
    """Something else holds since."""
    DONE = "done"
    """A to-do was carried out."""
    DROPPED = "dropped"
    """A to-do was given up."""


class Relation(StrEnum):
    """The relation of a candidate to an existing memory."""

    NEW = "new"
    REPEATS = "repeats"
    REFINES = "refines"
    CONTRADICTS = "contradicts"


class Stance(StrEnum):
    """The ways in which people mean their words."""

    STATED = "stated"
    ASKED = "asked"
    """A question only takes it for possible."""
    SUPPOSED = "supposed"
    QUOTED = "quoted"
    """Someone else said or wrote it."""
    PLAYED = "played"
    """Someone invented says it."""


class Lasting(StrEnum):
    """For how long a statement is worth knowing."""

    MOMENT = "moment"
    WEEKS = "weeks"
    YEARS = "years"


class Use(StrEnum):
    """When a statement is needed."""

    ALWAYS = "always"
    """It shapes nearly every answer, as a wish how to be answered does."""
    TOPIC = "topic"
    """Certain requests need it, even if the person does not mention it."""
    ASKED = "asked"
    """Only a question about it needs it."""


class Asking(StrEnum):
    """The kinds of a person's requests to the memory."""

    REMEMBER = "remember"
    FORGET = "forget"
    CORRECT = "correct"
    ERASE = "erase"
    """To be kept nowhere: deleted for good, where forgetting can be undone."""


class Reason(StrEnum):
    """Why a candidate or a memory was changed or left alone."""

    NEW = "new"
    KEPT_VERBATIM = "kept_verbatim"
    EQUAL_CONTENT = "equal_content"
    REPEATS = "repeats"
    REFINES = "refines"
    CONTRADICTS = "contradicts"
    ENDED = "ended"
    """A statement ended it, as a plan that was carried out."""
    NOT_NEWER = "not_newer"
    EMPTY = "empty"
    TOO_LONG = "too_long"
    TOO_MANY = "too_many"
    LOW_IMPORTANCE = "low_importance"
    NO_EVIDENCE = "no_evidence"
    NOT_STATED = "not_stated"
    """Asked, supposed, quoted or played: the person does not say that it is so."""
    PASSING = "passing"
    """It is so for a moment only."""
    EDITED = "edited"
    WRITTEN = "written"
    DELETED = "deleted"
    DISTINCT = "distinct"
    """Alike, but for a number, name, date or negation."""
    INJECTED = "injected"
    """Only blocks in the prompt say so."""
    INSTRUCTION = "instruction"
    """It tells the assistant what to do, in a way that a person has to approve."""
    CONFIDENTIAL = "confidential"
    """It holds a key, a password or the like."""
    RATE_LIMIT = "rate_limit"
    DISPUTED = "disputed"
    SUSPECT = "suspect"
    ASKED = "asked"
    """The person asked to remember it."""
    FORGOTTEN = "forgotten"
    """The person asked in a chat to forget it."""
    ERASED = "erased"
    """The person asked in a chat that it is kept nowhere: it is deleted for good."""
    CORRECTED = "corrected"
    """The person said that it is otherwise."""
    NOTHING_TO_FORGET = "nothing_to_forget"
    ABANDONED = "abandoned"
    """The message that taught it was edited."""
    EXPIRED = "expired"
    """Its time was up."""
    CAP = "cap"
    """There were more memories than may be."""
    UNDONE = "undone"
    APPROVAL = "approval"
    """The person, or the operator, wants to approve everything first."""
    APPROVED = "approved"
    REFUSED = "refused"
    SHARED = "shared"
    MOVED = "moved"
    """The person moved it to another of their projects, or out of one."""
    SUMMARIZED = "summarized"


WAITING = frozenset({Reason.APPROVAL, Reason.ENDED})
"""Why something waits for approval that is not suspicious: its words are not hidden."""


class Phase(StrEnum):
    """The phases of an exchange that the message log records."""

    BEGUN = "begun"
    """The user said something; the model is yet to be asked."""
    ENDED = "ended"
    """The answer has come, or as much of it as will."""
    FAILED = "failed"
    """The model refused, or failed. The message stays; it is formed without an answer, unless the client asks for one again."""
    AWAITED = "awaited"
    """The model's server works on the answer and keeps it until it is fetched."""
    REFUSED = "refused"
    """The model's server knows not who asks: no one is known to have said it, and it is taken back."""


class FailedAt(StrEnum):
    """The stage at which an answer failed."""

    CONNECT = "connect"
    """The model's server was not reached."""
    HEAD = "head"
    """It answered nothing, or with an error."""
    STREAM = "stream"
    """It broke off within the answer, or said there that it failed."""
    CLIENT = "client"
    """The client left, or cancelled the answer."""


class Written(StrEnum):
    """The outcomes of a phase in the message log."""

    NEW = "new"
    """It began the exchange there, or was the first to end it."""
    KNOWN = "known"
    """Another request had done so, as with an answer given again."""
    UNWANTED = "unwanted"
    """Nothing is kept: of this user nothing is to be."""
    ERASED = "erased"
    """Nothing is kept: the user, or the chat, was erased since it was said."""


class Progress(StrEnum):
    """How far an exchange is from being memories."""

    PENDING = "pending"
    """It is still to be formed, or its answer is under way."""
    FORMED = "formed"
    FAILED = "failed"
    """Its formation kept failing; it is held until someone has it tried again."""
    ABANDONED = "abandoned"
    """Its message was edited: its changes are undone."""


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
    OFF = "off"
    NO_PLACE = "no-place"
    CONTEXT_LENGTH = "context-length"
    """With memories the prompt was too long for the model; it was asked once more without."""
    UPSTREAM_POLICY = "upstream-policy"
    """The policy of the LLM's server lets none of it be sent there."""
    NOT_IN_TEAM = "not-in-team"
    """There is no such team, or the person is not in it."""
    FAILED = "failed"


class Action(StrEnum):
    """The changes of a memory in the audit."""

    ADD = "add"
    REPLACE = "replace"
    REINFORCE = "reinforce"
    RETIRE = "retire"
    EDIT = "edit"
    MARK = "mark"
    QUARANTINE = "quarantine"
    REFUSE = "refuse"
    ERASE = "erase"
    """Memories were deleted for good. The row counts them, names one, and has no word of them; it can't be undone."""
    RESTORE = "restore"
    """A change was undone: ``memory_id`` is linked again, ``replaced_id`` is not."""


class Stage(StrEnum):
    """A part of recalling. The embeddings have a limit of their own, the others the deadline."""

    EMBEDDING = "embedding"
    SEARCH = "search"
    CHAT = "chat"


class SearchPath(StrEnum):
    """Which way a recall's search went; all but the first are ways it falls back on."""

    DENSE = "dense"
    """By meaning, and by words besides."""
    LEXICAL = "lexical"
    """By words alone, as there was no embedding."""
    IMPORTANT = "important"
    """Not at all: the prompt got the statements of every chat, the most important ones, the newest first."""
    NONE = "none"
    """Not at all, and nothing was given."""


class Drop(StrEnum):
    """Why something that was ranked does not go into the prompt."""

    IRRELEVANT = "irrelevant"
    OTHER_SESSION = "other-session"
    GIVEN = "given"
    IN_PROMPT = "in-prompt"
    SAME_SOURCE = "same-source"
    REPEATS = "repeats"
    NOT_HELPFUL = "not-helpful"
    """Its person called it not helpful for a question like this one."""
    CLIFF = "cliff"
    LIMIT = "limit"
    BUDGET = "budget"
    NO_PLACE = "no-place"
    ABANDONED = "abandoned"
    UPSTREAM_POLICY = "upstream-policy"
    """The policy of the LLM's server does not let it be sent there."""


class Place(StrEnum):
    """Where in a prompt a block stands."""

    SYSTEM = "system"
    BESIDE = "beside"


class Placement(StrEnum):
    """The places in a prompt for recalled memories."""

    STABLE = "stable"
    """The chat's first block in the system prompt, later ones next to their turn's message; all unchanged."""
    SYSTEM = "system"
    """All of it in the system prompt, again with each turn."""
    USER = "user"
    """All of it next to the turn's message, again with each turn."""
    OFF = "off"
    """Nowhere."""


class EmbeddingScope(StrEnum):
    """The texts with embeddings; words alone find all others."""

    MEMORIES = "memories"
    SUMMARIES = "memories+summaries"
    MARKED = "marked"
    ALL = "all"


class SystemStyle(StrEnum):
    """The forms of a system message that an upstream takes.

    Where the API has a place of its own for instructions (Responses, Anthropic), the system's
    text goes there, in every style but ``none``.
    """

    ANY = "any"
    """The first message if it instructs, else the first of the system before the person's first, else a new one
    in front."""
    FIRST = "first"
    """One in front of all others: the first message if it instructs, else a new one."""
    DEVELOPER = "developer"
    """As ``first``, but a new one is the developer's."""
    NONE = "none"
    """None at all: its text goes next to the first message of the user."""
