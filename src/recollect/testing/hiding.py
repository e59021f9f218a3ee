"""Forgets in the log of one user, in memory. Never: decides what is forgotten."""

from collections.abc import Iterable
from uuid import UUID

from recollect.model import Kind, Memory, Reason
from recollect.testing.belongings import Author, Possessions


def hide_messages(
    user: Possessions, by: Author, reason: Reason, messages: Iterable[UUID], items: Iterable[UUID] = ()
) -> None:
    """Recall these messages no more, nor what says them again: answers, blocks, summaries; nor form them."""
    hidden = of_their_exchanges(user, messages)
    for logged in user.log:
        if logged.state in {"pending", "failed"} and logged.exchange.message_id in hidden:
            logged.state, logged.error = "formed", None
    user.index.hide(tuple(hidden), user.said)
    summaries = _summaries_on(user, hidden)
    answers = _answers_with(user, {*items, *summaries, *hidden})
    user.index.hidden |= answers
    summaries |= _summaries_on(user, answers)
    user.forget_injections({*items, *summaries, *hidden, *answers})
    for _, summary in sorted(summaries.items()):
        user.retire(by, summary, reason, details={"says_what_is_hidden": True})
        user.summarized.pop(summary.provenance.session_id or "", None)


def of_their_exchanges(user: Possessions, messages: Iterable[UUID]) -> set[UUID]:
    """Return these messages of the log, and those that were said with them."""
    named = set(messages)
    exchanges = {each.exchange.id for each in user.said if each.id in named}
    return {each.id for each in user.said if each.exchange.id in exchanges}


def _summaries_on(user: Possessions, messages: set[UUID]) -> dict[UUID, Memory]:
    return {
        each.id: each
        for each in user.memories.values()
        if (each.kind, each.owner) == (Kind.SUMMARY, user.user_id)
        and messages & set(each.provenance.message_ids)
    }


def _answers_with(user: Possessions, items: set[UUID]) -> set[UUID]:
    """Return what was answered in turns that were given one of these, and is still recalled."""
    given = {
        (session_id, anchor)
        for session_id, known in user.injections.items()
        for anchor, each in known.items()
        if items & set(each.items)
    }
    exchanges = [logged.exchange for logged in user.log]
    answered = (each for each in exchanges if (each.turn.scope.session_id, each.turn.anchor) in given)
    return {each.reply_id for each in answered if each.reply} - user.index.hidden
