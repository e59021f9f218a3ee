"""Deletes memories for good, with the text of the messages that told them. Never: decides which; deletes a whole chat."""

from uuid import UUID

from recollect.audit_redaction import redacted
from recollect.model import Action, Change, Erase, Ignore, Reason
from recollect.store.changing import Changing
from recollect.store.hiding import hide_messages, with_a_word_of
from recollect.store.log_index import unindex
from recollect.store.queue import enqueue
from recollect.store.rows import update_of
from recollect.store.session_erasure import delete_index, unlink_all, write_redaction
from recollect.store.sql import SQL


async def erase_told(changing: Changing, change: Erase) -> Change:
    """Delete memories of the user's own as ``Erase`` says, in the connection's transaction under the user's lock.

    All that forgetting would hide is deleted: what the memories replaced, the exchanges that told them, answers and summaries that
    say it again. The exchanges stay known by their keys, so that the same request sent again writes no text. Other memories of those
    exchanges stay, and no longer say in which words they were told.
    """
    connection, user_id = changing.connection, changing.user_id
    rows = await connection.fetch(SQL["line_of_memories"], user_id, change.memories)
    memories = {row["id"] for row in rows}
    told_in = [*dict.fromkeys([*change.messages, *(each for row in rows for each in row["message_ids"])])]
    if not (memories or told_in):
        return Ignore(Reason.DELETED)
    await unlink_all(changing, list(memories))
    await _erase_outside_the_log(changing, told_in, list(memories))
    hidden = await hide_messages(changing, change.reason, told_in, items=list(memories))
    copies = await _ids(changing, "copies_of_messages", hidden.messages)
    await unlink_all(changing, copies)
    memories |= {*copies, *hidden.summaries}
    await unindex(connection, user_id, await _ids(changing, "beside_messages", hidden.messages))
    await delete_index(connection, user_id, hidden.messages)
    await connection.fetch(SQL["erase_memories"], user_id, list(memories))
    held = await _ids(changing, "erase_quarantine_of_messages", hidden.messages)
    await connection.execute(SQL["detach_from_messages"], user_id, hidden.messages)
    await connection.execute(SQL["erase_texts"], user_id, hidden.messages)
    await connection.execute(SQL["erase_texts_of_exchanges"], user_id, told_in, changing.at)
    await connection.execute(SQL["erase_kept_answers"], user_id)  # one may quote what was said
    await _redact(changing, {*memories, *held})
    await enqueue(connection, [user_id])  # what stood beside is to be indexed again
    named = [each for each in change.memories if each in memories]
    await changing.audit(
        Action.ERASE,
        change.reason,
        (named or told_in)[0],
        details={"memories": len(named), "exchanges": len(told_in)},
    )
    return change


async def _erase_outside_the_log(changing: Changing, told_in: list[UUID], memories: list[UUID]) -> None:
    """Delete what exchanges keep of answers that are no messages and have a word of these memories."""
    connection, user_id = changing.connection, changing.user_id
    kept = await connection.fetch(SQL["answers_outside_the_log"], user_id, told_in, memories)
    saying = await with_a_word_of(changing, kept, memories)
    rows = await connection.fetch(SQL["erase_answers_outside_the_log"], user_id, saying)
    await unindex(connection, user_id, [row["id"] for row in rows if row["is_found"]])


async def _redact(changing: Changing, memories: set[UUID]) -> None:
    """Let the audit tell of none of these memories."""
    rows = await changing.connection.fetch(
        SQL["updates_of_session"], changing.user_id, None, [], list(memories)
    )
    await write_redaction(changing, redacted(map(update_of, rows), memories=memories))


async def _ids(changing: Changing, query: str, messages: list[UUID]) -> list[UUID]:
    return [row["id"] for row in await changing.connection.fetch(SQL[query], changing.user_id, messages)]
