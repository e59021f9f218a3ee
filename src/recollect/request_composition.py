"""Puts the memories for a turn into its request; the same for every host. Pure."""

from dataclasses import replace

from recollect.composition import Placed
from recollect.wire import Additions, ChatBody, Dialect, SystemStyle, said_with


def compose_request(
    dialect: Dialect, chat: ChatBody, placed: Placed, style: SystemStyle = SystemStyle.ANY
) -> bytes | None:
    """Return the request's body with the additions spliced in.

    Args:
        dialect: The API it is spoken in.
        chat: The request.
        placed: The additions and their places.
        style: The kinds of system text that the upstream accepts.

    Returns:
        The body; None where nothing is added, or some of it has no certain place.
    """
    earlier = tuple(
        replace(message, text=said_with(message.text, block)) for message, block in placed.earlier
    )
    composed = dialect.compose(chat, Additions(placed.system, placed.beside, earlier), style)
    return None if composed is None or composed == chat.raw else composed
