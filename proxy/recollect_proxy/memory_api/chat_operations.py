"""Answers the operations on chats, their messages and summaries.

Each function answers the operation of its name in `recollect.api.endpoint_table`, and its docstring documents that operation.
"""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from recollect import model
from recollect.api.chats import FoundMessage, LoggedMessage
from recollect.api.failures import EXCHANGE_NOT_FOUND, SUMMARY_NOT_FOUND
from recollect.engine.people.browsing import ALL_TIME
from recollect.model import Update
from recollect.text.dates.date_finder import Period
from recollect_openwebui.button_actions import changes_line
from recollect_openwebui.notices import Notices, language_of
from recollect_proxy.memory_api.request_and_reply import Asked, erasure_as_json
from recollect_proxy.memory_api.request_validation import RefusedError, invalid_parameter
from recollect_proxy.web.asgi import unless_left


async def list_sessions(asked: Asked) -> Any:
    """List a user's chats.

    All remembered chats. A chat for which the frontend gave no id has one that Recollect made.
    """
    return {"sessions": await asked.engine.sessions(asked.user_id, begun_before=asked.sent.begun_before)}


async def erase_session(asked: Asked) -> Any:
    """Erase a chat.

    Its messages go, the memories that rest on it alone, and its changes to other memories. The answer is the proof.

    A memory stays if another chat said it too, or if it was written over, approved or brought back by hand. An unknown
    chat is erased by deleting nothing: 200, and all counts are zero.
    """
    return erasure_as_json(await asked.engine.erase_session(asked.chat))


async def undo_message(asked: Asked) -> Any:
    """Undo a message's changes.

    Newest first, with the changes that the answer to it reported; from then on its words are not recalled either.

    If the message still waits to be formed, it never is. Memories that were changed again since stay as they are.
    """
    bound = bool(asked.who.project)
    undone = await asked.engine.take_back(asked.chat, asked.sent.message, actor=asked.actor, bound=bound)
    if undone is None:
        raise RefusedError(EXCHANGE_NOT_FOUND)
    notices = _notices(asked, undone)
    return {"changes": undone, "line": notices.undone(undone) or notices("undo.not_recalled")}


async def take_message_changes(asked: Asked) -> Any:
    """Take the changes of a message, as a line to show.

    Each change is reported once: neither a second call nor the person's next answer repeats it.
    """
    chat, message, engine = asked.chat, asked.sent.message, asked.engine
    if asked.sent.wait:  # a client that leaves meanwhile takes no change
        await unless_left(asked.incoming, engine.formed(chat, message, seconds=asked.sent.wait))
    news = await engine.take_news(chat, message)
    if news.updates:
        await asked.note_read(chat.user_id)  # a look that found no news is no read
    notices, updates = _notices(asked, news.updates), news.updates[::-1]
    return {"line": await changes_line(engine, chat.user_id, updates, notices, asked.sent.button)}


def _notices(asked: Asked, updates: Sequence[Update]) -> Notices:
    return Notices(language_of(asked.sent.language, [each.after or each.before or "" for each in updates]))


async def list_messages(asked: Asked) -> Any:
    """List the messages of a chat.

    Oldest first, as in the log, with hidden messages and with every answer to a turn.
    """
    limit = asked.sent.limit
    seen = await asked.engine.messages(asked.chat, limit=limit + 1, after=asked.sent.after)
    following = seen[limit - 1].id if len(seen) > limit else None
    return {"next": following, "messages": [LoggedMessage.from_seen(each) for each in seen[:limit]]}


async def search_messages(asked: Asked) -> Any:
    """Search the messages of a user's chats.

    Messages and summaries of chats, best first, by meaning and by words, with nothing left out as irrelevant. The part
    that fits best represents a long message.

    Hidden messages are not found. Each search finds at most the thousand best.
    """
    sent, user = asked.sent, asked.user_id
    period = Period(sent.said_from or ALL_TIME.start, sent.until or ALL_TIME.end)
    if period.start >= period.end:
        raise invalid_parameter("until", "later than `from`")
    await asked.note_read(user)
    page = await asked.engine.search_chats(user, sent.q, limit=sent.limit, period=period, after=sent.after)
    found = [FoundMessage.from_recollection(each) for each in page.found]
    return {"next": page.next, "found": found, "degraded": page.degraded}


async def mark_turn(asked: Asked) -> Any:
    """Call a turn valuable, or no longer.

    It holds for the message's whole turn, with its answers, as the header `x-recollect-mark` does.

    A valuable turn is searched even if it looks trivial, and has embeddings with `RECOLLECT_EMBED=marked`. The background
    indexes it again for that; until then it is not found. A hidden turn stays hidden.
    """
    await asked.engine.mark_turn(asked.chat, asked.id("message_id"), marked=asked.sent.marked)


async def read_summary(asked: Asked) -> Any:
    """Read a chat's newest summary.

    Later messages are not in it. A chat has none before it was long enough for one.
    """
    chat = asked.chat
    summary = await asked.engine.summary(chat)
    if summary is None:
        raise RefusedError(SUMMARY_NOT_FOUND)
    return {
        **asdict(summary.outline or model.Outline()),
        "memory_id": summary.id,
        "session_id": chat.session_id,
        "text": summary.content,
        "said_at": summary.observed_at,
        "created_at": summary.created_at,
    }


async def ask_for_summary(asked: Asked) -> Any:
    """Summarize a chat now.

    The model summarizes it in the background, before the chats that are due; then `GET` on the same path returns it.

    The last messages are formed first. A second request changes nothing while the first one waits. It works even if the
    setting `summaries` is off.
    """
    return {"turns": await asked.engine.ask_for_summary(asked.chat)}
