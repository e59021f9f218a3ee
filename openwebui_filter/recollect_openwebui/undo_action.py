"""Takes back the memories from one message, at its person's request. Never: whose message it is not."""

from typing import Any

from recollect.assembly import running_engine
from recollect.model import Actor, Scope
from recollect_openwebui import notices

_NOT_OPEN = "The memory is not at hand just now. Nothing was undone."
_NOTHING = "Nothing was remembered of this message."
_NOT_RECALLED = "Nothing is left here to undo. What was said here is not recalled from now on."


async def undo(body: Any, user: Any) -> list[notices.Event]:
    """Undo the changes of an answer's exchange, and return the notice to the person.

    Args:
        body: Open WebUI's argument of an action: the chat, the answer's id, and the messages up to it.
        user: The person who asks; only their own changes are undone.

    Raises:
        StoreError: The store could not be asked.
    """
    live, asked, user_id = running_engine(), _asked(body), (user or {}).get("id")
    engine = live.engine if live is not None else None
    if engine is None:
        return [notices.notification(_NOT_OPEN, kind="error")]
    if asked is None or not user_id:
        return [notices.notification(_NOTHING)]
    undone = await engine.take_back(Scope(user_id, asked[0]), asked[1], actor=Actor.USER)
    if undone is None:
        return [notices.notification(_NOTHING)]
    told = notices.undone(undone)
    if not told:
        return [notices.notification(_NOT_RECALLED)]
    return [notices.status(told), notices.notification(told, kind="success")]


def _asked(body: Any) -> tuple[str, str] | None:
    """Return the chat, and the id of the answered message; None if the body lacks them."""
    chat_id, answer_id, key = body.get("chat_id"), body.get("id"), None
    for message in body.get("messages") or ():
        if message.get("id") == answer_id:
            break
        if message.get("role") == "user":
            key = message.get("id")
    return (chat_id, key) if chat_id and key else None
