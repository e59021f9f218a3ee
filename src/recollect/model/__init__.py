"""The nouns of memory, as frozen values.

Never: pydantic, SQL, JSON, I/O. Times are timezone-aware; ids are UUIDs of version 7 (RFC 9562).
"""

from recollect.model.audit import (
    NOT_SAID,
    OF_SETTINGS,
    AdminRead,
    Backlog,
    Changer,
    Erasure,
    FlagValue,
    KnownUser,
    News,
    Outcome,
    Party,
    SettingsChange,
    Update,
)
from recollect.model.browsing import ChatSeen, KeptCounts, MessageSeen, Unsettled
from recollect.model.change import (
    NOT_ERASED,
    Add,
    Change,
    Erase,
    Hide,
    Ignore,
    Limit,
    Mark,
    Quarantine,
    Reinforce,
    Replace,
    Retire,
)
from recollect.model.chat import (
    ROOT,
    UNNAMED,
    Chat,
    Exchange,
    Failure,
    Injection,
    LoggedExchange,
    Message,
    Turn,
)
from recollect.model.dictated import Dictated, Fate, Profile
from recollect.model.disclosure import ALL_TOLD, NOTHING_TOLD, Disclosure
from recollect.model.faults import Fault, Finding
from recollect.model.flags import (
    INSTRUCTIONS,
    LONGEST_INSTRUCTIONS,
    LONGEST_LIFETIMES,
    OF_ONE,
    Flags,
    Guidance,
)
from recollect.model.formed import (
    MOST_QUARANTINED,
    NO_CAPS,
    Caps,
    Formed,
    Pending,
    Quarantined,
    SpokenWith,
    Usage,
    Wait,
)
from recollect.model.found import Item, Passage, Statement
from recollect.model.generations import EmbedderInUse, EmbedderPlace, EmbeddingCounts, EmbeddingState
from recollect.model.listing import (
    ANSWERS_KEPT,
    EVERYTHING,
    KEPT,
    Embedded,
    Found,
    Kept,
    KeptAnswer,
    MemoryFilter,
    Removal,
    Revision,
    State,
)
from recollect.model.log import IndexedChunk, IndexedMessage, LoggedMessage, UnembeddedChunk
from recollect.model.log_entries import Became, LogEntry, Logged, TurnNotes
from recollect.model.memory import (
    COMMONS,
    MOST_KEYS,
    MOST_QUESTIONS,
    MOST_TAGS,
    MOST_TOPICS,
    QUESTION_LENGTH,
    TAG_LENGTH,
    TOPIC_LENGTH,
    VALUE_LENGTH,
    VITAL,
    Candidate,
    ExtractedCommand,
    Hints,
    Lifetimes,
    Memory,
    Metadata,
    Neighbor,
    Outline,
    Page,
    Past,
    Provenance,
    Vector,
    tags_named,
)
from recollect.model.profile import MOST_ENTRIES, EntryState, OwnProfile, ProfileEntry, ProfileField
from recollect.model.recall import ChatPlace, Recall, Recollection
from recollect.model.request import ItemPart, NotHelpful, RecallPage, RequestRecord
from recollect.model.requests_in_chat import LISTED, CarriedOut, KeptRequest, LastExchange, PointedAt
from recollect.model.scopes import (
    AGENT,
    LONGEST_PROJECT,
    LONGEST_TITLE,
    MOST_MEMBERS,
    SEPARATOR,
    TEAM,
    WRITING,
    Member,
    Project,
    Scope,
    Team,
    TeamRole,
    Versions,
    is_agents,
    person_of,
    project_name,
    project_of,
    project_scope,
    project_within,
    scopes_in,
    team_name,
    team_of,
)
from recollect.model.statistics import (
    Activity,
    DayOfActivity,
    DayOfUsage,
    FormedExchanges,
    ModelTokens,
    Questions,
    StoreSize,
    TableSize,
)
from recollect.model.summaries import Conversation, Material
from recollect.model.words import (
    SHOWN,
    STATEMENTS,
    WAITING,
    Action,
    Actor,
    Asking,
    Awaits,
    Doubt,
    Drop,
    EmbeddingScope,
    Ending,
    FailedAt,
    Kind,
    Lasting,
    Phase,
    Place,
    Placement,
    Progress,
    Reason,
    Relation,
    Role,
    SearchPath,
    Skip,
    Source,
    Stage,
    Stance,
    Strategy,
    SystemStyle,
    Unread,
    Use,
    Written,
)
