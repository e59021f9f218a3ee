"""Masks what was said in an exchange. Pure. Never: where it is kept, its keys: a turn is known again by what was really said."""

from dataclasses import replace

from recollect.model import Exchange
from recollect.secrets.kinds import Kind
from recollect.secrets.masking import mark, mask


def masked_exchange(exchange: Exchange) -> Exchange:
    """Return an exchange with its secrets masked: in what was said, the reply, the speaker's name.

    What was said before it, and its prompt, stay as they are: neither is kept. Its keys do, too.
    """
    turn = exchange.turn
    speaker = None if turn.speaker is None else mask(turn.speaker).text
    return replace(
        exchange,
        turn=replace(turn, text=mask(turn.text).text, speaker=speaker),
        reply=mask(exchange.reply).text,
    )


def with_masked_history(exchange: Exchange) -> Exchange:
    """Return it with the secrets masked in what was said before it, too, as models are shown that."""
    masked = masked_exchange(exchange)
    history = tuple(replace(each, text=mask(each.text).text) for each in exchange.turn.history)
    return replace(masked, turn=replace(masked.turn, history=history))


def unread_exchange(exchange: Exchange) -> Exchange:
    """Return it without a word of what was said, where its secrets could not be told from the rest."""
    unread = mark(Kind.UNREAD)
    return replace(exchange, turn=replace(exchange.turn, text=unread, speaker=None), reply=unread)
