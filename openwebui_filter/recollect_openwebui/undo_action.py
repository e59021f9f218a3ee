"""Takes back the memories from one message, at its person's request. Never: for another person."""

from typing import Any

from recollect.assembly import running_engine
from recollect.model import Actor, Scope
from recollect_openwebui.languages import language_of
from recollect_openwebui.notices import Event, Notices, notification, status


async def undo(body: Any, user: Any, language: Any = None) -> list[Event]:
    """Undo the changes of an answer's exchange, and return the notice to the person.

    Args:
        body: Open WebUI's argument of an action: the chat, the answer's id, and the messages up to it.
        user: The person who asks; only their own changes are undone.
        language: The language of their page; None if it is unknown.

    Raises:
        StoreError: The store could not be asked.
    """
    live, asked, user_id = running_engine(), _answered_message(body), (user or {}).get("id")
    said = (str(each.get("content")) for each in body.get("messages") or () if each.get("role") == "user")
    notices = Notices(language_of(language, said))
    engine = live.engine if live is not None else None
    if engine is None:
        return [notification(notices("undo.away"), kind="error")]
    if asked is None or not user_id:
        return [notification(notices("undo.nothing"))]
    found = [
        await engine.take_back(Scope(each, asked[0]), asked[1], actor=Actor.USER)
        for each in await engine.scopes_of(user_id)
    ]
    undone = next((each for each in found if each is not None), None)
    if undone is None:
        return [notification(notices("undo.nothing"))]
    told = notices.undone(undone)
    if not told:
        return [notification(notices("undo.not_recalled"))]
    return [status(told), notification(told, kind="success")]


def _answered_message(body: Any) -> tuple[str, str] | None:
    """Return the chat, and the id of the answered message; None if the body lacks them."""
    chat_id, answer_id, key = body.get("chat_id"), body.get("id"), None
    for message in body.get("messages") or ():
        if message.get("id") == answer_id:
            break
        if message.get("role") == "user":
            key = message.get("id")
    return (chat_id, key) if chat_id and key else None
