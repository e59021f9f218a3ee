"""Masks what was said in an exchange. Pure. Never: where it is kept, its keys: a turn is known again by what was really said."""

from dataclasses import replace

from recollect.model import Exchange
from recollect.text.secrets.kinds import SecretKind
from recollect.text.secrets.masking import mark, mask_exchange_texts


def masked_exchange(exchange: Exchange) -> Exchange:
    """Return an exchange with its secrets masked: in what was said, the reply, the speaker's name.

    What was said before it, and its prompt, stay as they are: neither is kept. Its keys do, too.
    """
    turn = exchange.turn
    text, reply, speaker = mask_exchange_texts(turn.text, exchange.reply, turn.speaker or "")
    return replace(exchange, turn=replace(turn, text=text, speaker=speaker or turn.speaker), reply=reply)


def with_masked_history(exchange: Exchange) -> Exchange:
    """Return it with the secrets masked in what was said before it, too, as models are shown that."""
    turn = exchange.turn
    before = [each.text for each in turn.history]
    text, reply, speaker, *before = mask_exchange_texts(
        turn.text, exchange.reply, turn.speaker or "", *before
    )
    history = tuple(replace(each, text=said) for each, said in zip(turn.history, before, strict=True))
    turn = replace(turn, text=text, speaker=speaker or turn.speaker, history=history)
    return replace(exchange, turn=turn, reply=reply)


def unread_exchange(exchange: Exchange) -> Exchange:
    """Return it without a word of what was said, where its secrets could not be told from the rest."""
    unread = mark(SecretKind.UNREAD)
    return replace(exchange, turn=replace(exchange.turn, text=unread, speaker=None), reply=unread)
