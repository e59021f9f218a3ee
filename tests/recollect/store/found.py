"""What makes a user of the tests one who is searched: an index, a block in a prompt, a request. Never: a test."""

from tests.support.stores import MODEL, NOON, NORTH, vector
from uuid_utils.compat import uuid7

from recollect.model import (
    EntryState,
    IndexedChunk,
    IndexedMessage,
    Injection,
    Place,
    ProfileEntry,
    ProfileField,
    RequestRecord,
    Scope,
)
from recollect.store.log import LogIndex
from recollect.text.lexical import document_terms


async def indexed(index: LogIndex, user_id: str) -> int:
    """Index all that the user said, each message as one chunk; return how many."""
    messages = await index.unindexed(user_id, limit=99)
    for message in messages:
        terms = document_terms(message.content)
        chunk = IndexedChunk(
            0,
            len(message.content),
            code=False,
            language=None,
            terms=terms,
            context=document_terms(message.before),
            vectors=(vector(*NORTH),),
        )
        assert await index.index(user_id, IndexedMessage(message.id, (chunk,), terms, MODEL))
    return len(messages)


def added_to_a_prompt(block: str, *, anchor: str = "a:1") -> Injection:
    """Return a block that speaks of nothing in particular."""
    return Injection(anchor, Place.SYSTEM, block, (), 9, NOON)


def like_a_request(scope: Scope) -> RequestRecord:
    """Return what a request of theirs was like."""
    return RequestRecord(uuid7(), NOON, scope, "chat/stable", "scripted")


def a_statement(content: str) -> ProfileEntry:
    """Return a statement of a profile, with an embedding."""
    return ProfileEntry(
        uuid7(),
        ProfileField.NOTES,
        content,
        EntryState.CONFIRMED,
        NOON,
        NOON,
        own_words=True,
        embedding=vector(*NORTH),
        embedding_model=MODEL,
    )
