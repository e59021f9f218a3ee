"""What a message asked of the memory is done before recall begins: whatever fails then, the prompt is told that it was done."""

import asyncio
from dataclasses import replace
from typing import Any

import pytest
from tests.recollect.engine.test_chat_requests import DONE, answer
from tests.recollect.engines import PATIENT, engine_over
from tests.support.stores import Store
from tests.support.watched_stores import Through, with_parts

from recollect.engine import RecallOptions
from recollect.errors import StoreUnavailableError
from recollect.model import Flags, Skip


class Failing(Through):
    """A port of which some methods fail, or never end.

    Args:
        port: The real one.
        failure: What they raise; None: they never end.
        methods: Which.
    """

    def __init__(self, port: Any, failure: Exception | None, *methods: str) -> None:
        super().__init__(port)
        self._failure = failure
        self._methods = methods

    def __getattr__(self, name: str) -> Any:
        return self._fail if name in self._methods else super().__getattr__(name)

    async def _fail(self, *_arguments: Any, **_named: Any) -> None:
        if self._failure is None:
            await asyncio.Event().wait()
        raise self._failure or AssertionError


AWAY, BUG = StoreUnavailableError("away"), RuntimeError("a bug")


@pytest.mark.parametrize(
    ("port", "methods", "failure", "skipped"),
    [
        ("chats", ("chat",), AWAY, Skip.STORE),
        ("chats", ("chat",), BUG, Skip.FAILED),
    ],
)
async def test_it_is_told_where_recall_fails(
    store: Store, port: str, methods: tuple[str, ...], failure: Exception, skipped: Skip
) -> None:
    ports: dict[str, Any] = {port: Failing(getattr(store, port), failure, *methods)}
    failing = replace(store, **ports)
    subject = engine_over(failing, replace(PATIENT, stands=True))

    prepared = await subject.prepare(store.turn("Stop remembering me"))

    assert answer(prepared).startswith(DONE)
    assert prepared.recall.skipped is skipped
    assert (await store.flags.own_flags(store.anna)).record is False


async def test_it_is_told_where_recall_is_late(store: Store) -> None:
    late = with_parts(store, chats=Failing(store.chats, None, "chat"))
    subject = engine_over(late, replace(PATIENT, deadline=0.05))

    prepared = await subject.prepare(store.turn("Don't remember this chat"))

    assert answer(prepared).startswith(DONE)
    assert prepared.recall.skipped is Skip.DEADLINE


async def test_it_is_told_where_nothing_is_recalled(store: Store) -> None:
    subject = engine_over(store, PATIENT)
    await subject.change_flags(Flags(recall=False), ("recall",), store.anna)

    switched_off = await subject.prepare(store.turn("Stop remembering me"))
    not_wanted = await subject.prepare(
        store.turn("Remember me again", store.anna.chat("chat-2")), RecallOptions(recall=False)
    )

    assert answer(switched_off).startswith(DONE)
    assert answer(not_wanted).startswith(DONE)
    assert switched_off.recall.skipped is not_wanted.recall.skipped is Skip.OFF
