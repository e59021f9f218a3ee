"""The log of every exchange, in this process's memory. Never: forms a memory."""

from abc import ABC, abstractmethod
from dataclasses import replace

from recollect.errors import StoreError
from recollect.model import Exchange
from recollect.normalization import storable_id, storable_text
from recollect.testing.abandoning import abandon_other_versions
from recollect.testing.changes import Belongings, Logged
from recollect.testing.jobs import JobQueue


class LogStore(ABC):
    """Implements MessageLog."""

    jobs: JobQueue

    @abstractmethod
    def _of(self, user_id: str) -> Belongings:
        """Return what the user has, or raise what the store is told to."""

    async def append(self, exchange: Exchange) -> bool:
        """Keep the exchange and enqueue its formation; return whether it was new."""
        turn = exchange.turn
        session_id, key = storable_id(turn.scope.session_id), storable_id(turn.key)
        user = self._of(turn.scope.user_id)
        for logged in user.log:
            if (logged.exchange.turn.scope.session_id, logged.exchange.turn.key) == (session_id, key):
                if logged.append_reply(exchange):
                    user.index.hide_reply(logged.exchange)
                    self.jobs.enqueue(turn.scope.user_id)
                return False
        logged = Logged(_storable(exchange), not_before=turn.at)
        is_late = logged.exchange.turn.parent is not None and abandon_other_versions(
            user, logged.exchange.turn
        )
        user.log.append(logged)
        if is_late:
            logged.state = "abandoned"
            user.index.hide([exchange.message_id], user.said)
        user.carried[exchange.id] = len(turn.history)
        self.jobs.enqueue(turn.scope.user_id)
        return True


def _storable(exchange: Exchange) -> Exchange:
    turn = exchange.turn
    speaker = None if turn.speaker is None else storable_text(turn.speaker)
    kept = replace(
        turn,
        text=storable_text(turn.text),
        model=storable_text(turn.model),
        speaker=speaker,
        history=(),
        parent=_storable_parent(turn.parent),
    )
    reply = storable_text(exchange.reply) if exchange.reply.strip() else ""
    return replace(exchange, turn=kept, reply=reply, credential=None)


def _storable_parent(parent: str | None) -> str | None:
    """Return the parent; None where none is known, or none that could be a key."""
    try:
        return None if parent is None else storable_id(parent)
    except StoreError:
        return None
