"""Puts the memories for a turn into its request; the same for every host. Pure. Never: which memories."""

from dataclasses import replace

from recollect.composition import Placed
from recollect.wire import Additions, ChatBody, Dialect, SystemStyle, said_with


def compose_request(
    dialect: Dialect, chat: ChatBody, placed: Placed, style: SystemStyle = SystemStyle.ANY
) -> bytes | None:
    """Return the request's body with what is added to it, by splicing bytes.

    Args:
        dialect: The API it is spoken in.
        chat: The request.
        placed: What is added, and where.
        style: What the upstream takes from the system.

    Returns:
        The body; None where nothing is added, or some of it has no certain place.
    """
    earlier = tuple(
        replace(message, text=said_with(message.text, block)) for message, block in placed.earlier
    )
    composed = dialect.compose(chat, Additions(placed.system, placed.beside, earlier), style)
    return None if composed is None or composed == chat.raw else composed
