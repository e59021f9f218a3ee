"""Which chats of a user are due for a summary, in memory. Never: writes a summary; another user."""

from collections.abc import Collection, Sequence
from datetime import timedelta

from recollect.model import Add, Kind, Memory, Message, Outline, Reason, Replace, Role
from recollect.ports import Conversation, Material
from recollect.testing.changes import Belongings
from recollect.testing.searching import Said
from recollect.tokens import estimate_tokens

_EXCHANGES = 100
_LONGEST_MESSAGE = 4_000
_RECENT = timedelta(days=30)


def due_conversation(
    user: Belongings, turns: int, tokens: int, without: Collection[str] = ()
) -> Conversation | None:
    """Return the chat that waits longest for a summary it is due for, as ``Inbox.to_summarize`` says."""
    formed = {each.exchange.id for each in user.log if each.state == "formed"}
    told: dict[str, list[Said]] = {}
    chats = _recent_chats(user) - set(without)
    for said in user.said:
        if said.session_id not in chats:
            continue
        hidden = {said.id, said.exchange.message_id} & user.index.hidden
        if said.exchange.id in formed and not hidden:
            told.setdefault(said.session_id, []).append(said)
    due = [session_id for session_id, said in told.items() if _is_due(user, session_id, said, turns, tokens)]
    waiting = {
        session_id: min(each.exchange.id for each in _since(user, session_id, told[session_id]))
        for session_id in due
    }
    if not waiting:
        return None
    session_id = min(waiting, key=lambda each: waiting[each])
    return _conversation(user, session_id, told[session_id])


def is_as_it_was(user: Belongings, conversation: Conversation) -> bool:
    """Return whether the chat is not summarized otherwise since the conversation was read."""
    session_id = conversation.session_id
    if all(each.exchange.turn.scope.session_id != session_id for each in user.log):
        return False
    now, then = _last_summary(user, session_id), conversation.summary
    is_same = (None if now is None else now.id) == (None if then is None else then.id)
    return is_same and user.summarized.get(session_id, -1) < conversation.last_turn


def summary_change(
    user: Belongings, conversation: Conversation, memory: Memory | None
) -> Add | Replace | None:
    """Return what keeps a summary; nothing where what it rests on may not be recalled any more."""
    recallable = {each.id for each in user.said} - user.index.hidden
    if memory is None or not set(conversation.message_ids) <= recallable:
        return None
    if conversation.summary is None:
        return Add(memory, Reason.SUMMARIZED)
    return Replace(conversation.summary.id, memory, Reason.SUMMARIZED)


def _recent_chats(user: Belongings) -> set[str]:
    """Return the chats in which something was said not too long before what the user said last."""
    last = {each.exchange.turn.scope.session_id: each.exchange.turn.at for each in user.log}
    for each in user.log:
        turn = each.exchange.turn
        last[turn.scope.session_id] = max(last[turn.scope.session_id], turn.at)
    return {known for known, at in last.items() if at >= max(last.values()) - _RECENT}


def _since(user: Belongings, session_id: str, said: Sequence[Said]) -> list[Said]:
    """Return what was said in exchanges since the chat was summarized."""
    last = user.summarized.get(session_id, -1)
    turns = {each.exchange.id for each in said if each.role is Role.USER and each.turn_index > last}
    return [each for each in said if each.exchange.id in turns]


def _is_due(user: Belongings, session_id: str, said: Sequence[Said], turns: int, tokens: int) -> bool:
    new = _since(user, session_id, said)
    count = sum(each.role is Role.USER for each in new)
    size = sum(estimate_tokens(each.content) for each in new)
    return bool(new) and (0 < turns <= count or 0 < tokens <= size)


def _conversation(user: Belongings, session_id: str, said: Sequence[Said]) -> Conversation:
    last = _last_summary(user, session_id)
    read = said if last is None else _since(user, session_id, said)
    kept = {each.exchange.id for each in [each for each in read if each.role is Role.USER][-_EXCHANGES:]}
    messages = [each for each in read if each.exchange.id in kept]
    newest = messages[-1]
    before = () if last is None else last.provenance.message_ids
    return Conversation(
        session_id=session_id,
        material=Material(
            messages=tuple(
                Message(each.role, each.content[:_LONGEST_MESSAGE], each.speaker) for each in messages
            ),
            before="" if last is None else last.content,
            outline=(None if last is None else last.outline) or Outline(),
            at=newest.exchange.turn.at.date().isoformat(),
        ),
        message_ids=tuple(dict.fromkeys([*(each.id for each in messages), *before])),
        last_turn=newest.turn_index,
        summary=last,
        model=newest.exchange.turn.model,
        authorized=newest.exchange.authorized,
        exchange_id=newest.exchange.id,
    )


def _last_summary(user: Belongings, session_id: str) -> Memory | None:
    summaries = (
        each
        for each in user.memories.values()
        if each.kind is Kind.SUMMARY
        and each.owner == user.user_id
        and each.provenance.session_id == session_id
    )
    return max(summaries, key=lambda each: each.id, default=None)
