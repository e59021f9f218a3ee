"""Does what takes long beside the event loop, so that nobody else's chat waits for it. Never: what is done."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import TypeVar
from weakref import WeakValueDictionary

Result = TypeVar("Result")

PATIENCE_SECONDS = 2.0
"""How long a chat waits for it at most, in the queue and at work."""


class Aside:
    """One thread, as two that compute would leave the loop a third of its time.

    Each user has one piece of work in its queue at most: however many one asks for, all others have their turn between.
    """

    def __init__(self, patience: float = PATIENCE_SECONDS) -> None:
        """Start nothing yet.

        Args:
            patience: Seconds that who asks for work waits for it.
        """
        self._patience = patience
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="aside")
        self._turns: WeakValueDictionary[str | None, asyncio.Lock] = WeakValueDictionary()

    async def do(self, work: Callable[[], Result], user_id: str | None) -> Result:
        """Return what ``work`` returns.

        Args:
            work: What to do.
            user_id: For whom; None stands for all that are not known.

        Raises:
            TimeoutError: It took too long. What is not begun is not done any more.
        """
        turn = self._turns.setdefault(user_id, asyncio.Lock())
        async with asyncio.timeout(self._patience):
            await turn.acquire()
            doing = self._thread.submit(work)
            done = asyncio.wrap_future(doing)
            # What is begun goes on when nobody waits for it any more, and so long it is its user's turn.
            done.add_done_callback(partial(_give_up, turn))
            try:
                return await asyncio.shield(done)
            finally:
                doing.cancel()


def _give_up(turn: asyncio.Lock, done: "asyncio.Future[Result]") -> None:
    """Let the user's next piece of work in; an error that came too late for anybody is nobody's."""
    turn.release()
    if not done.cancelled():
        done.exception()
