"""Streams of server-sent events: the changes to a user's memories as they happen, without texts.

A process asks the database once a second for all its streams together, and reads a user's changes when their number has risen.
"""

import asyncio
from collections import Counter
from collections.abc import AsyncGenerator, Callable
from contextlib import suppress
from uuid import UUID

import msgspec
from uuid_utils.compat import uuid7

from recollect.api.events import Event, EventPlace, erasure_of, event_of
from recollect.api.failures import TOO_MANY_STREAMS
from recollect.api.queries import EVENT_ID, LAST_EVENT
from recollect.engine import Engine, system_clock
from recollect.engine.live.live_engine import LiveEngine
from recollect.errors import RecollectError
from recollect.runtime.deadline import happens
from recollect.text.patterns import anchored
from recollect_proxy.memory_api.request_validation import RefusedError, invalid_parameter

_LOOK_SECONDS = 1.0
_BEAT_SECONDS = 15.0
_LONGEST_SECONDS = 900.0
"""A stream ends after that, and its client comes again: with a token that still counts."""
_MOST, _MOST_OF_ONE = 200, 8
"""Streams of a process, and of a user."""
_AT_ONCE = 100
_NOTHING = UUID(int=0)
_ID = anchored(EVENT_ID)


class EventStreams:
    """The streams of a process.

    Args:
        live: The engine, which may not be open yet.
        ends: Whether the process is about to end.
    """

    def __init__(self, live: LiveEngine, ends: Callable[[], bool]) -> None:
        self._live, self._ends = live, ends
        self._open: Counter[str] = Counter()
        self._places: dict[str, EventPlace] = {}
        self._looked = asyncio.Event()
        self._looking: asyncio.Task[None] | None = None

    async def begin(self, engine: Engine, user_id: str, last: str | None) -> AsyncGenerator[bytes, None]:
        """Return a stream of a user's events behind the last one that its client has; None: from now on.

        Raises:
            RefusedError: The last one can't be one, or there are too many streams.
            StoreError: The store failed.
        """
        seen = (
            (await engine.event_places([user_id])).get(user_id, EventPlace()) if last is None else _read(last)
        )
        if self._open.total() >= _MOST or self._open[user_id] >= _MOST_OF_ONE:
            raise RefusedError(TOO_MANY_STREAMS)
        stream = self._stream(user_id, seen)
        await anext(stream)  # counted from here on, before any other request runs
        return stream

    async def _stream(self, user_id: str, seen: EventPlace) -> AsyncGenerator[bytes, None]:
        loop = asyncio.get_running_loop()
        ends = loop.time() + _LONGEST_SECONDS
        self._open[user_id] += 1
        if self._looking is None:
            self._looking = asyncio.create_task(self._look())
        try:
            yield b""
            yield f"id: {_id_of(seen)}\nretry: 2000\n\n".encode()  # so a client misses nothing that had no event yet
            while loop.time() < ends and not self._ends() and (engine := self._live.engine) is not None:
                pieces, now = await self._news(engine, user_id, seen)
                for each in pieces:
                    yield each
                if seen.epoch not in {None, now.epoch}:
                    return
                is_whole = seen.number == now.number
                seen = now
                if is_whole and not await self._changed(user_id, seen):
                    yield b": still here\n\n"
        except RecollectError:
            return  # the client comes again
        finally:
            self._open -= Counter([user_id])
            if not self._open[user_id]:
                self._places.pop(user_id, None)

    async def _news(self, engine: Engine, user_id: str, seen: EventPlace) -> tuple[list[bytes], EventPlace]:
        """Return the next events behind a place, and the place up to which these are all."""
        last, happened = await engine.events_behind(user_id, seen.number, limit=_AT_ONCE)
        self._places[user_id] = last
        if seen.epoch not in {None, last.epoch}:
            erased = erasure_of(user_id, uuid7(), system_clock())
            return [_piece(EventPlace(last.epoch, 0), erased)], last
        events = [(each.number, event_of(user_id, each.update, each.kind)) for each in happened]
        pieces = [
            _piece(last._replace(number=number), event) for number, event in events if event is not None
        ]
        return pieces, last._replace(number=happened[-1].number) if happened else last

    async def _changed(self, user_id: str, seen: EventPlace) -> bool:
        """Wait until there is more than was seen, or it is time to say that the stream still lives; return whether there is."""
        loop = asyncio.get_running_loop()
        beats = loop.time() + _BEAT_SECONDS
        while self._places.get(user_id, seen) == seen and not self._ends():
            if not await happens(self._looked, beats - loop.time()):
                return False
        return True

    async def _look(self) -> None:
        """Look at all users of open streams once a second, until there are none."""
        while self._open:
            await asyncio.sleep(_LOOK_SECONDS)
            users = list(self._open)
            with suppress(RecollectError):
                if users and (engine := self._live.engine) is not None:
                    found = await engine.event_places(users)
                    self._places |= {
                        each: found.get(each, EventPlace()) for each in users if each in self._open
                    }
            self._looked.set()
            self._looked = asyncio.Event()
        self._looking = None


def _id_of(place: EventPlace) -> str:
    return f"{(place.epoch or _NOTHING).hex}.{place.number}"


def _piece(place: EventPlace, event: Event) -> bytes:
    named = f"id: {_id_of(place)}\nevent: {event.type}\ndata: "
    return named.encode() + msgspec.json.encode(event) + b"\n\n"


def _read(last: str) -> EventPlace:
    """Return the place of the id of an event."""
    if _ID.fullmatch(last) is None:
        raise invalid_parameter(LAST_EVENT, "the `id` of an event")
    epoch, _, number = last.partition(".")
    place = EventPlace(UUID(hex=epoch), int(number))
    return place if place.epoch != _NOTHING else EventPlace()
