"""Turns rows into the nouns of memory, and these into what rows hold. It knows neither SQL nor connections.

The terms of a passage or memory are a line each, with two bytes for its counts: in the passage with its context, and in its own text
alone. A memory has no context.
"""

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, fields
from functools import cache, lru_cache
from operator import itemgetter
from typing import Any

import msgspec
import numpy as np
from asyncpg import Record

from recollect.index import Document
from recollect.model import (
    Action,
    Actor,
    Doubt,
    Ending,
    Exchange,
    Hints,
    Kind,
    Memory,
    MemoryFilter,
    Message,
    Outline,
    Passage,
    Past,
    Provenance,
    Reason,
    Role,
    Scope,
    Source,
    Statement,
    Turn,
    Update,
    Use,
    Vector,
)
from recollect.text.lexical import document_terms
from recollect.text.normalization import storable_text, without_cuts

_DIGITS = 6
"""The range of a four-byte float."""

# A person may have ten thousand rows: an enumeration itself takes ten times as long to find a value.
_STATEMENT = itemgetter(*Statement._fields)
_KIND, _SOURCE, _ROLE = cache(Kind), cache(Source), cache(Role)


@lru_cache(maxsize=1_000)
def shortest(number: float) -> float:
    """Return a four-byte float as it was given: 0.3 comes back as 0.3."""
    return float(f"{number:.{_DIGITS}g}")


def memory_of(row: Record) -> Memory:
    """Return the memory of a joined row of vectors and users_vectors; its embedding is not loaded."""
    return Memory(
        id=row["id"],
        owner=row["owner"],
        kind=_KIND(row["kind"]),
        source=_SOURCE(row["source"]),
        content=row["content"],
        importance=shortest(row["importance"]),
        observed_at=row["observed_at"],
        created_at=row["created_at"],
        confidence=shortest(row["confidence"]),
        event_at=row["event_at"],
        provenance=Provenance(
            row["session_id"], tuple(row["message_ids"]), row["evidence"], row["extractor"]
        ),
        last_recalled_at=row["last_recalled_at"],
        recall_count=row["recall_count"],
        reinforcement_count=row["reinforcement_count"],
        holds_from=row["holds_from"],
        holds_until=row["holds_until"],
        doubt=None if row["doubt"] is None else Doubt(row["doubt"]),
        outline=None if row["outline"] is None else _outline_of(json.loads(row["outline"])),
        known_until=row.get("valid_to"),
        past=_past_of(row),
        embedding_model=row["embedding_model"],
        hints=_hints_of(row),
        tags=tuple(row["tags"]),
        metadata=msgspec.json.decode(row["metadata"]),
        expires_at=row.get("expires_at"),
    )


def _hints_of(row: Record) -> Hints | None:
    if row["use"] is None:
        return None
    return Hints(Use(row["use"]), tuple(row["topics"]), tuple(row["questions"]))


def as_columns(hints: Hints | None) -> tuple[str | None, list[str] | None, list[str] | None]:
    """Return the use, topics and questions of hints, in Unicode that Postgres can hold."""
    if hints is None:
        return None, None, None
    return (
        hints.use,
        [storable_text(each) for each in hints.topics],
        [storable_text(each) for each in hints.questions],
    )


def label_columns(of: Memory | MemoryFilter) -> tuple[list[str], str]:
    """Return tags, and metadata as JSON, in Unicode that Postgres can hold."""
    metadata = {
        key: storable_text(each) if isinstance(each, str) else each for key, each in of.metadata.items()
    }
    return [storable_text(each) for each in of.tags], json.dumps(metadata)


def embedding_columns(memory: Memory) -> tuple[Vector | None, str | None]:
    """Return the embeddings of a memory end to end, and their model; None unless they are those of its content and its hints."""
    pieces = 1 if memory.hints is None else 2 + len(memory.hints.questions)
    if memory.embedding is None or len(np.atleast_2d(memory.embedding)) != pieces:
        return None, None
    return memory.embedding.ravel(), memory.embedding_model


def _past_of(row: Record) -> Past | None:
    until = row.get("ended_at")
    return None if until is None else Past(until, Ending(row["ended_as"]), row["heir"])


def as_json(outline: Outline | None) -> str | None:
    """Return the parts of a summary as JSON, in Unicode that Postgres can hold."""
    if outline is None:
        return None
    parts = asdict(outline)
    return json.dumps({name: [storable_text(each) for each in texts] for name, texts in parts.items()})


def _outline_of(kept: Mapping[str, Any]) -> Outline:
    """Return the outline; what an older or newer version kept and this one does not know is left out."""
    return Outline(**{part.name: tuple(kept.get(part.name, ())) for part in fields(Outline)})


def passage_of(row: Record) -> Passage:
    """Return the passage of a joined row of message_chunks and messages."""
    return Passage(
        message_id=row["id"],
        exchange_id=row["exchange_id"],
        session_id=row["session_id"],
        turn_index=row["turn_index"],
        part=row["part"],
        role=_ROLE(row["role"]),
        content=own_content(row),
        said_at=row["created_at"],
        speaker=row["speaker"],
        code=row["code"],
        changed_at=row["changed_at"],
        statement=None if row["words"] is None else Statement(*_STATEMENT(row)),
        pasted=row["pasted"],
    )


def own_content(row: Record) -> str:
    """Return the text of a chunk without others' words in it; the ranges count from the chunk's beginning."""
    content: str = row["content"]
    if not row["cuts"]:
        return content
    places = [place - row["begins"] for place in row["cuts"]]
    return without_cuts(content, 0, len(content), places)


def update_of(row: Record) -> Update:
    """Return the audit row."""
    fields = {name: row[name] for name in Update.__slots__}
    words = {"action": Action(row["action"]), "actor": Actor(row["actor"]), "reason": Reason(row["reason"])}
    return Update(**fields | words | {"details": details_of(row)})


def details_of(row: Record) -> Mapping[str, Any]:
    """Return what else a row of the audit says."""
    details: dict[str, Any] = json.loads(row["details"])
    return details


def message_of(row: Record) -> Message:
    """Return the message of the log."""
    return Message(Role(row["role"]), row["content"], row["speaker"])


def exchange_of(user_id: str, row: Record, history: tuple[Message, ...]) -> Exchange:
    """Return the exchange as it was appended, without the request's credential."""
    turn = Turn(
        scope=Scope(user_id, row["session_id"]),
        text=row["said"],
        key=row["key"],
        at=row["said_at"],
        model=row["model"],
        history=history,
        speaker=row["speaker"],
        upstream=row["upstream"],
    )
    return Exchange(
        id=row["id"],
        turn=turn,
        reply=row["reply"],
        message_id=row["message_id"],
        reply_id=row["reply_id"],
        authorized=row["authorized"],
    )


TERMS_BY = 2
"""The version of the rules by which a memory's terms are read; to be raised with each change of them."""

_MOST = 255
"""A term's count in a passage ends there."""


def written_terms(terms: Mapping[str, int], context: Mapping[str, int]) -> tuple[str, bytes, int]:
    """Return the terms of a passage's own text and of its context, their counts, and the number of all."""
    every = Counter(terms)
    every.update(context)
    pairs = [(min(often, _MOST), min(terms.get(term, 0), _MOST)) for term, often in every.items()]
    return "\n".join(every), np.array(pairs, np.uint8).tobytes(), every.total()


def terms_of_memory(content: str) -> tuple[str, bytes]:
    """Return the terms of a memory and their counts."""
    terms, counts, _ = written_terms(document_terms(content), {})
    return terms, counts


def read_terms_of_memory(content: str, terms: str | None, counts: bytes | None, by: int | None) -> Document:
    """Return the terms of a memory; from its content if the row has none, or terms by other rules."""
    if terms is None or counts is None or by != TERMS_BY:
        terms, counts = terms_of_memory(content)
    return Document(terms, counts, sum(counts[1::2]))


def with_context(terms: str, counts: bytes, added: Mapping[str, int]) -> tuple[str, bytes]:
    """Return the terms and counts of a passage whose context grew. Its length stays: only the beginning of an answer was added."""
    pairs = np.frombuffer(counts, np.uint8).reshape(-1, 2).tolist()
    held = dict(zip(terms.split("\n") if terms else (), map(tuple, pairs), strict=True))
    for term, more in added.items():
        often, own = held.get(term, (0, 0))
        held[term] = min(often + more, _MOST), own
    return "\n".join(held), np.array(list(held.values()), np.uint8).tobytes()
