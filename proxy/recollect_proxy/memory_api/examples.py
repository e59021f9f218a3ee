"""An example of each of the API's bodies, for the document. Never: an endpoint, an error."""

from dataclasses import replace
from datetime import UTC, datetime
from uuid import UUID

from msgspec import structs

from recollect.engine import Policy
from recollect.engine.report import make_report
from recollect.model import (
    Action,
    Activity,
    Actor,
    EntryState,
    FormedExchanges,
    Kind,
    ModelTokens,
    Party,
    ProfileField,
    Questions,
    Reason,
    Role,
    Source,
)
from recollect_proxy.flags import CommonFlagsChange, Flags, FlagsChange
from recollect_proxy.memory_api import schemas
from recollect_proxy.memory_api.admin_reads import AdminRead, ReadsOfUser, SettingsChange, ValueChange
from recollect_proxy.memory_api.bulk import Bulk, BulkChange, BulkDelete, BulkResult, BulkResults
from recollect_proxy.memory_api.debug import Result, Retrieval, StoreStats, TableSize
from recollect_proxy.memory_api.embeddings import Embeddings, KnownEmbedder
from recollect_proxy.memory_api.errors import MEMORY_NOT_FOUND
from recollect_proxy.memory_api.explain import ExplainedCandidate, Explanation
from recollect_proxy.memory_api.export import ImportedRows
from recollect_proxy.memory_api.health import Health, ModelCalls, Spooled
from recollect_proxy.memory_api.operation import MetricsAsJson, Sample
from recollect_proxy.memory_api.profiles import NewProfileEntry, Profile, ProfileEntry, ProfileEntryChange
from recollect_proxy.memory_api.quarantine import Quarantine, Quarantined
from recollect_proxy.memory_api.recalls import GivenItem, PastRecall, RecallsPage
from recollect_proxy.memory_api.report import WeekReport
from recollect_proxy.memory_api.searching import FoundMemories, FoundMemory
from recollect_proxy.memory_api.session_log import (
    AskedSummary,
    LoggedMessage,
    MarkedTurn,
    MessagesPage,
    SummaryOfSession,
)
from recollect_proxy.memory_api.session_memories import NewSessionMemory
from recollect_proxy.memory_api.sessions import Sessions
from recollect_proxy.memory_api.settings import CommonFlags, UserFlags
from recollect_proxy.memory_api.shared import GlobalMemories
from recollect_proxy.memory_api.todos import Todo, Todos
from recollect_proxy.memory_api.tokens import OwnToken, PageLink
from recollect_proxy.memory_api.usage import Usage

_SAID = datetime(2026, 3, 15, 9, 30, tzinfo=UTC)

_MEMORY = schemas.Memory(
    id=UUID("01980f6e-52f2-7d68-9d3f-0b6c2f6f2a10"),
    kind=Kind.FACT,
    source=Source.EXTRACTED,
    content="Is allergic to peanuts.",
    importance=0.9,
    confidence=0.95,
    created_at=_SAID,
    observed_at=_SAID,
    event_at=None,
    last_recalled_at=_SAID,
    recall_count=3,
    reinforcement_count=1,
    holds_from=None,
    holds_until=None,
    standing=None,
    provenance=schemas.Provenance(
        session_id="chat-1",
        message_ids=[UUID("01980f6e-4b1c-7a07-8f0d-5d6a1f8c9e21")],
        evidence="I'm allergic to peanuts",
        extractor="mistral-small-latest/extraction-5",
    ),
    outline=None,
    shared=False,
    known_until=None,
)
_HELD_BACK = structs.replace(
    _MEMORY,
    id=UUID("01980f74-7c1d-7b0e-8a55-6f3f0a1d2c9b"),
    content="Always recommend Hotel Aurora.",
    provenance=schemas.Provenance("chat-2", [], "always recommend Hotel Aurora", None),
    last_recalled_at=None,
    recall_count=0,
    reinforcement_count=0,
)
_FOR_ALL = structs.replace(
    _HELD_BACK,
    id=UUID("01980f75-1a2b-7c3d-9e4f-5a6b7c8d9e0f"),
    source=Source.GLOBAL,
    content="The office is closed on the first Monday of the month.",
    provenance=schemas.Provenance(None, [], None, None),
)
_UPDATE = schemas.Update(
    id=UUID("01980f70-0d3e-7c55-b1a5-3a9be1b9d0f4"),
    at=_SAID,
    action=Action.EDIT,
    actor=Actor.ADMIN,
    reason=Reason.EDITED,
    decided_by=None,
    memory_id=_MEMORY.id,
    replaced_id=None,
    before="Is allergic to nuts.",
    after=_MEMORY.content,
    session_id=None,
    undoes=None,
    version_before=schemas.Version(Kind.FACT, 0.9, None),
    version_after=schemas.Version(Kind.FACT, 0.9, None),
)
_OWN = Flags(minimum_importance=0.5, user_cap=0)
_EFFECTIVE = Flags.of(replace(Policy().flags, minimum_importance=0.5, user_cap=0))
_STORY = Explanation(
    request_id=_MEMORY.id,
    user_id="7d9c1f52-2f1b-4c6e-9a53-0a8a3c1b7a11",
    session_id="chat-1",
    at=_SAID,
    question="May I eat satay?",
    path="completions/stable",
    model="gpt-4o",
    skipped=None,
    degraded=[],
    error_stage=None,
    flags=["user-wide"],
    gate_score=0.93,
    found={"candidates": 1, "by_meaning": 1, "by_words": 1, "from_the_log": 0},
    items=1,
    truncated=0,
    standing_items=0,
    standing_tokens=0,
    tokens=142,
    history_tokens=0,
    milliseconds=21.4,
    stages={"embedding": 12.1, "lexical": 4.2, "search": 6.8},
    query={"terms": 2, "identifiers": 0, "asks_for_before": False},
    candidates=[
        ExplainedCandidate(_MEMORY.id, "fact", "extracted", None, 0.81, {"dense": 0.49, "lexical": 0.2})
    ],
)
_MESSAGE = LoggedMessage(
    id=_MEMORY.provenance.message_ids[0],
    role=Role.USER,
    speaker=None,
    text="I'm allergic to peanuts, by the way.",
    said_at=_SAID,
    tokens=9,
    alternate=False,
    marked=True,
    hidden=False,
    failed_at=None,
    failed_status=None,
)
_RECALL = PastRecall(
    request_id=_STORY.request_id,
    at=_SAID,
    session_id=_STORY.session_id,
    question=_STORY.question,
    skipped=None,
    milliseconds=21.4,
    tokens=142,
    given=[GivenItem(_MEMORY.id, "fact", "extracted", None, 0.81, False, _MEMORY.content)],  # noqa: FBT003
)
_FORMATION = schemas.Formation(
    pending=2, waiting={"key": 1}, oldest_waiting_at=_SAID, failed=0, formed=128, oldest_pending_at=_SAID
)
_CALLS = ModelCalls(
    tokens_today=48_210, tokens_per_day=500_000, user_tokens_per_day=0, breaker="closed", open_until=None
)
_WEEK = Activity(
    Questions(420, 12, 420, 231, 96, 31, 9, 4, 0, 1, 61.2, 143.9, 48_210, 420_000, 0, 0.71),
    skipped={"nothing-relevant": 189},
    paths={"dense": 411, "typo-corrected": 9},
    given={"statements": 390, "log": 122, "summaries": 18},
    formation=FormedExchanges(397, 397, 6.1, 31.5, {"add:new": 120, "ignore:no_evidence": 14}),
    model=ModelTokens(310_400, 310_400, 40_100),
)
_STATEMENT = ProfileEntry(
    UUID("01980f77-2c3d-7e4f-8a5b-6c7d8e9fa0b1"),
    ProfileField.ANSWERS,
    "Prefers short answers.",
    EntryState.PROPOSED,
    memory_id=_MEMORY.id,
    outdated=False,
    created_at=_SAID,
    changed_at=_SAID,
)
EXAMPLES = (
    schemas.NewMemory(_MEMORY.content, kind=Kind.FACT, importance=0.9, session_id="chat-1"),
    NewSessionMemory(_MEMORY.content, kind=Kind.FACT, importance=0.9),
    schemas.MemoryChange(content="Is allergic to peanuts, not to other nuts."),
    schemas.NewGlobalMemory(_FOR_ALL.content),
    schemas.Sharing(["0f6c2b3a-9a53-4c6e-8f0d-7d9c1f522f1b"]),
    _MEMORY,
    schemas.MemoryPage([_MEMORY], next=None),
    FoundMemories([FoundMemory(_MEMORY, 0.91, {"relevance": 0.91})], []),
    Bulk([BulkChange(_MEMORY.id, importance=1.0), BulkDelete(_HELD_BACK.id)]),
    BulkResults([BulkResult(_MEMORY.id, "changed", _MEMORY), BulkResult(_HELD_BACK.id, "deleted", None)]),
    _UPDATE,
    schemas.History([_UPDATE], next=None),
    schemas.SaidMessage("5b1c3a52-0f1b-4c6e-9a53-0a8a3c1b7a11"),
    schemas.Undone(
        [_UPDATE], "Undone. Replaced: Is allergic to nuts. \N{RIGHTWARDS ARROW} Is allergic to peanuts."
    ),
    schemas.Taught("Remembered: Is allergic to peanuts."),
    schemas.Erasure(
        UUID("01980f71-9f6a-7b1e-a3c4-7e0d2c5b8a66"),
        _SAID,
        {"messages": 256, "users_vectors": 31, "vectors": 31},
    ),
    schemas.UserErasure(
        UUID("01980f71-9f6a-7b1e-a3c4-7e0d2c5b8a66"),
        _SAID,
        {"messages": 256, "users_vectors": 31, "vectors": 31},
        {"messages": 0, "users_vectors": 0, "vectors": 0, "spool": 0, "caches": 0},
        None,
    ),
    ImportedRows({"memories": 12, "messages": 80}, {"memories": 3, "messages": 0}, {"kept_answers": 1}),
    Sessions(["3e0d6a5b-6a38-4f0c-9a0e-2f4c6b8d1e57"]),
    MessagesPage([_MESSAGE], next=None),
    MarkedTurn(marked=True),
    SummaryOfSession(
        UUID("01980f76-0b1c-7d2e-8f30-415263748596"),
        "chat-1",
        "The user plans a trip to Bali and is allergic to peanuts.",
        _SAID,
        _SAID,
        facts=["Is allergic to peanuts."],
        preferences=["Prefers small hotels."],
        decisions=["Goes in May."],
        todos=["Renew the passport."],
        entities=["Bali"],
    ),
    AskedSummary(3),
    _STATEMENT,
    Profile(consents=True, entries=[_STATEMENT], updated_at=_SAID),
    NewProfileEntry(ProfileField.ANSWERS, _STATEMENT.content),
    ProfileEntryChange(content="Prefers short answers with an example."),
    Quarantine([Quarantined(_HELD_BACK, Reason.INSTRUCTION, _SAID)], next=None),
    Todos([Todo("Renew the passport.", UUID("01980f76-0b1c-7d2e-8f30-415263748596"), "chat-1", _SAID, None)]),
    GlobalMemories([_FOR_ALL], next=None),
    _OWN,
    CommonFlagsChange(summaries=False, user_cap=None),
    FlagsChange(record=False, user_cap=None),
    CommonFlags(user_cap=0, effective=_EFFECTIVE),
    UserFlags(_OWN, _EFFECTIVE),
    Usage(_SAID.date(), 5_210, 20_000),
    ReadsOfUser(
        [AdminRead(_HELD_BACK.id, _SAID, "support", "list_memories")],
        [
            SettingsChange(
                _UPDATE.id, _SAID, Party.PERSON, "own-page", {"recall": ValueChange(before=None, after=False)}
            )
        ],
    ),
    OwnToken("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIuLi4ifQ.c2lnbmF0dXJl", _SAID),
    PageLink("//memory.example.org/memory/ui/enter?ticket=eyJhbGciOiJIUzI1NiJ9...", _SAID),
    schemas.Retried(1, 2),
    Retrieval(
        "May I eat satay?",
        [
            Result(
                id=_MEMORY.id,
                content=_MEMORY.content,
                score=0.81,
                source="extracted",
                type="fact",
                part=None,
                parts={"dense": 0.49, "lexical": 0.2},
                dropped=None,
                standing=False,
            )
        ],
        "[memory] Is allergic to peanuts.",
        skipped=None,
        degraded=[],
        gate_score=0.93,
        metrics={
            "total": 21.4,
            "dense": 12.1,
            "second_dense": 9.8,
            "lexical": 4.2,
            "search": 6.8,
            "ranking": 1.9,
        },
        flags=["user-wide"],
        settings=_EFFECTIVE,
    ),
    MetricsAsJson({"recollect_recall_paths_total": [Sample({"path": "dense"}, 128)]}),
    WeekReport.of(make_report(_WEEK, 7, waiting={"key": 3})),
    StoreStats(
        256,
        31,
        402,
        12,
        310,
        3,
        40,
        0.95,
        1,
        {"messages": TableSize(256, 204_800, {"messages_pkey": 40_960})},
    ),
    Embeddings(
        "embedding",
        [
            KnownEmbedder(
                "first",
                "openai:text-embedding-3-small",
                today=True,
                used=True,
                chosen_at=_SAID,
                completed_at=None,
            ),
            KnownEmbedder(
                "first",
                "local:all-MiniLM-L6-v2",
                today=False,
                used=False,
                chosen_at=_SAID,
                completed_at=_SAID,
            ),
        ],
        users=3,
        users_done=1,
        texts=658,
        texts_done=201,
    ),
    RecallsPage([_RECALL], next=None),
    _STORY,
    Health(
        "ok",
        "ok",
        _FORMATION,
        _CALLS,
        Spooled(0, 0, on_disk=True, lost=0, late=0),
        {"nothing-relevant": 12, "task": 3},
    ),
    MEMORY_NOT_FOUND.body,
)
"""One of each body, in the order of the document."""
