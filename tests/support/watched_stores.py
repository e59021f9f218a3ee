"""Stores that a test watches, changes or breaks: real ones, with something before a part."""

from collections.abc import Awaitable, Callable, Collection, Generator
from dataclasses import dataclass, fields, replace
from typing import Any, NoReturn

from tests.support.stores import Store

from recollect.errors import StoreUnavailableError
from recollect.store.postgres import Postgres


class Through:
    """A part that passes every call on to the one behind it; a test overrides those it is about."""

    def __init__(self, part: Any) -> None:
        self._part = part

    def __getattr__(self, name: str) -> Any:
        return getattr(self._part, name)


class Before(Through):
    """A part that awaits something before some of its calls, by their names: it is given the call's arguments."""

    def __init__(self, part: Any, **first: Callable[..., Awaitable[object]]) -> None:
        super().__init__(part)
        self._first = first

    def __getattr__(self, name: str) -> Any:
        method, first = super().__getattr__(name), self._first.get(name)
        if first is None:
            return method

        async def call(*arguments: Any, **named: Any) -> Any:
            await first(*arguments, **named)
            return await method(*arguments, **named)

        return call


def with_parts(store: Store, **parts: Any) -> Store:
    return replace(store, **parts)


@dataclass
class Outage:
    """Why a store does not answer: what ``methods``, or all, raise; None: they answer."""

    failure: Exception | None = None
    methods: Collection[str] | None = None


def breakable(store: Store, outage: Outage) -> Store:
    """Return the store, whose parts fail while there is a failure."""
    names = {each.name for each in fields(Postgres)} - {"generations", "database"}
    parts: dict[str, Any] = {name: _Breakable(getattr(store, name), outage) for name in names}
    return replace(store, **parts)


def broken(store: Store) -> Store:
    """Return the store as one that can't be reached."""
    return breakable(store, Outage(StoreUnavailableError()))


class _Breakable(Through):
    """A part that fails while there is a failure."""

    def __init__(self, part: Any, outage: Outage) -> None:
        super().__init__(part)
        self._outage = outage

    def __getattr__(self, name: str) -> Any:
        method = super().__getattr__(name)

        def call(*arguments: Any, **named: Any) -> Any:
            failure, methods = self._outage.failure, self._outage.methods
            if failure is None or (methods is not None and name not in methods):
                return method(*arguments, **named)
            return _Failed(failure)

        return call


class _Failed:
    """What fails when it is awaited, or entered."""

    def __init__(self, failure: Exception) -> None:
        self._failure = failure

    def __await__(self) -> Generator[None, None, NoReturn]:
        return self.__aenter__().__await__()

    async def __aenter__(self) -> NoReturn:
        raise self._failure

    async def __aexit__(self, *_: object) -> None:
        """Leave what was never entered."""
