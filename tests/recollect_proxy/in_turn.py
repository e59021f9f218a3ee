"""A table of requests as one test: each is asked by somebody new, of an upstream that forgot the one before."""

import functools
from collections.abc import Awaitable, Callable, Iterable, Sequence
from typing import Any

from tests.servers.running_proxy import somebody
from tests.support.tables import table


def in_turn(
    names: str | Sequence[str], rows: Iterable[Any]
) -> Callable[[Callable[..., Awaitable[None]]], Callable[..., Any]]:
    """Run a test for each row, as one test, as ``table`` does; its users and its upstream know nothing of other rows."""
    called = {each.strip() for each in names.split(",")} if isinstance(names, str) else set(names)
    if called & {"user", "other_user", "upstream"}:
        raise ValueError("users and the upstream are new in each row")

    def decorate(test: Callable[..., Awaitable[None]]) -> Callable[..., Any]:
        @functools.wraps(test)
        async def anew(**given: Any) -> None:
            if "upstream" in given:
                given["upstream"].forget()
            users = {name: somebody() for name in ("user", "other_user") if name in given}
            await test(**given | users)

        return table(names, rows)(anew)

    return decorate
