"""An example of each of the API's bodies, for the document. Never: an endpoint, an error."""

from datetime import UTC, datetime
from uuid import UUID

from msgspec import structs

from recollect.model import Action, Actor, Kind, Placement, Reason, Source, Strategy
from recollect_proxy.memory_api import schemas
from recollect_proxy.memory_api.errors import MEMORY_NOT_FOUND
from recollect_proxy.memory_api.health import Health, ModelCalls, Spooled
from recollect_proxy.memory_api.quarantine import Quarantine, Quarantined
from recollect_proxy.memory_api.sessions import Sessions
from recollect_proxy.memory_api.settings import Flags, FlagsChange, UserFlags
from recollect_proxy.memory_api.shared import GlobalMemories
from recollect_proxy.memory_api.stories import Story, ToldCandidate
from recollect_proxy.memory_api.todos import Todo, Todos
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
        extractor="mistral-small-latest/extraction-3",
    ),
    outline=None,
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
)
_OWN = Flags(minimum_importance=0.5, user_cap=0)
_EFFECTIVE = Flags(formation=Strategy.BOTH, placement=Placement.STABLE, minimum_importance=0.5, user_cap=0)
_STORY = Story(
    request_id=_MEMORY.id,
    user_id="7d9c1f52-2f1b-4c6e-9a53-0a8a3c1b7a11",
    session_id="chat-1",
    at=_SAID,
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
    candidates=[ToldCandidate(_MEMORY.id, "fact", "extracted", None, 0.81, {"dense": 0.49, "lexical": 0.2})],
)
_FORMATION = schemas.Formation(pending=2, failed=0, formed=128, fallbacks=1, oldest_pending_at=_SAID)
_CALLS = ModelCalls(
    tokens_today=48_210, tokens_per_day=500_000, user_tokens_per_day=0, breaker="closed", open_until=None
)
EXAMPLES = (
    schemas.NewMemory(_MEMORY.content, kind=Kind.FACT, importance=0.9),
    schemas.MemoryChange(content="Is allergic to peanuts, not to other nuts."),
    schemas.NewGlobalMemory(_FOR_ALL.content),
    schemas.Sharing(["0f6c2b3a-9a53-4c6e-8f0d-7d9c1f522f1b"]),
    _MEMORY,
    schemas.MemoryPage([_MEMORY], next=None),
    _UPDATE,
    schemas.History([_UPDATE]),
    schemas.Erasure(
        UUID("01980f71-9f6a-7b1e-a3c4-7e0d2c5b8a66"),
        _SAID,
        {"messages": 256, "users_vectors": 31, "vectors": 31},
    ),
    Sessions(["3e0d6a5b-6a38-4f0c-9a0e-2f4c6b8d1e57"]),
    Quarantine([Quarantined(_HELD_BACK, Reason.INSTRUCTION, _SAID)]),
    Todos([Todo("Renew the passport.", UUID("01980f76-0b1c-7d2e-8f30-415263748596"), "chat-1", _SAID, None)]),
    GlobalMemories([_FOR_ALL]),
    _OWN,
    FlagsChange(record=False, user_cap=None),
    UserFlags(_OWN, _EFFECTIVE),
    Usage(_SAID.date(), 5_210, 20_000),
    schemas.Retried(1),
    _STORY,
    Health(
        "ok",
        "ok",
        _FORMATION,
        _CALLS,
        Spooled(0, 0, on_disk=True, lost=0),
        {"nothing-relevant": 12, "task": 3},
    ),
    MEMORY_NOT_FOUND.body,
)
"""One of each body, in the order of the document."""
