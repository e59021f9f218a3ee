"""What a chat request says to us, before anything is recalled for it."""

import gzip
import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import pytest
from tests.support.recollections import NOON
from tests.support.tables import table

from recollect.model import Skip
from recollect.wire import COMPLETIONS
from recollect.wire.turn import DetectedTurn
from recollect_proxy.chat.fair_executor import FairExecutor
from recollect_proxy.chat.request_options import RefusedError
from recollect_proxy.chat.request_reader import ParsedRequest, RequestReader
from recollect_proxy.identity.caller import Caller

GZIP = {"content-encoding": "gzip"}
ANNA = Caller(user_id="anna", session_id="chat-1")
READING = RequestReader(COMPLETIONS, limit=10_000, recall_in_temporary=False, clock=lambda: NOON)


class Never(FairExecutor):
    """Takes too long for anything."""

    async def submit(self, work: Callable[[], Any], user_id: str | None) -> Any:  # noqa: ARG002 -- the port's
        raise TimeoutError(work)


class Noting(FairExecutor):
    """Does it at once, and notes that it was asked."""

    def __init__(self) -> None:
        super().__init__()
        self.asked = 0

    async def submit(self, work: Callable[[], Any], user_id: str | None) -> Any:  # noqa: ARG002 -- the port's
        self.asked += 1
        return work()


def body_of(said: str = "I drink tea", **fields: Any) -> bytes:
    return json.dumps({"model": "m", "messages": [{"role": "user", "content": said}]} | fields).encode()


WITHOUT = body_of()[:-1] + b" }"
"""What is left when the last member is taken out: every byte but its own, and its comma."""


def fields(headers: Mapping[str, str]) -> list[tuple[bytes, bytes]]:
    return [(name.encode(), value.encode()) for name, value in headers.items()]


def asked(
    body: bytes | None, caller: Caller = ANNA, headers: Mapping[str, str] | None = None
) -> ParsedRequest:
    return READING.read_request(caller, fields(headers or {}), body)


def test_a_turn_is_heard_and_a_body_without_options_goes_on_as_it_came() -> None:
    said = asked(body_of())

    assert said.detected.turn is not None
    assert (said.detected.turn.text, said.detected.turn.scope.session_id, said.detected.turn.at) == (
        "I drink tea",
        "chat-1",
        NOON,
    )
    assert said.detected.forms
    assert said.body is None


def test_options_are_taken_out_and_every_other_byte_stays_also_for_who_is_not_known() -> None:
    body = b'{ "messages" : [{"role":"user","content":"tea"}], "recollect":{"recall":false}, "n":1.0 }'
    said = asked(body)
    nobodys = asked(body, Caller(skip=Skip.NO_IDENTITY))
    assert said.body == nobodys.body == body.replace(b'"recollect":{"recall":false},', b"")
    assert said.options.recall.recall is False
    assert said.detected.body is not None
    assert said.detected.body.raw == said.body
    assert (nobodys.detected.skip, nobodys.detected.turn) == (Skip.NO_IDENTITY, None)


@table(("session", "is_whole"), [(None, True), ("mine", None)])
def test_a_session_that_is_asked_for_goes_before_the_frontends_and_is_not_known_to_carry_everything(
    *, session: str | None, is_whole: bool | None
) -> None:
    whole = Caller(user_id="anna", session_id="chat-1", sends_all=True)
    said = asked(body_of(), whole, headers={"x-recollect-session": session} if session else {})
    assert said.detected.turn is not None
    assert said.detected.turn.scope.session_id == (session or "chat-1")
    assert said.detected.turn.is_whole is is_whole


@table(
    ("session", "wanted", "skip"),
    [
        ("temporary:1", "mine", Skip.TEMPORARY),
        ("local:1", "mine", Skip.TEMPORARY),
        ("channel:1", "mine", Skip.CHANNEL),
        ("chat-1", "temporary:1", Skip.TEMPORARY),
    ],
)
@table("in_body", [False, True])
def test_what_is_not_to_be_kept_is_not_kept_in_a_session_that_is_asked_for(
    session: str, wanted: str, skip: Skip, *, in_body: bool
) -> None:
    body = body_of(recollect={"session": wanted}) if in_body else body_of()
    own_session = {} if in_body else {"x-recollect-session": wanted}

    said = asked(body, replace(ANNA, session_id=session), headers=own_session)

    assert said.detected == DetectedTurn(skip=skip)


def test_a_temporary_chat_that_recalls_stays_one_whatever_session_is_asked_for() -> None:
    reading = replace(READING, recall_in_temporary=True)

    said = reading.read_request(
        replace(ANNA, session_id="temporary:1"), [(b"x-recollect-session", b"mine")], body_of()
    )

    assert said.detected.turn is not None
    assert said.detected.turn.scope.session_id == "temporary:1"
    assert not said.detected.forms


def test_a_compressed_body_is_read_and_goes_on_plain_only_where_options_are_taken_out() -> None:
    with_options = body_of(recollect={"recall": False})

    kept = asked(gzip.compress(body_of(), mtime=0), headers=GZIP)
    changed = asked(gzip.compress(with_options, mtime=0), headers=GZIP)

    assert kept.detected.turn is not None
    assert kept.body is None
    assert changed.body == WITHOUT


NOBODY = Caller(skip=Skip.BAD_IDENTITY)


@table(
    ("body", "caller", "headers", "skip"),
    [
        (None, ANNA, {}, Skip.TOO_LARGE),
        (b"no gzip", ANNA, GZIP, Skip.UNREADABLE),
        (gzip.compress(b"{" + b" " * 20_000 + b"}", mtime=0), ANNA, GZIP, Skip.UNREADABLE),
        (b"[]", ANNA, {}, Skip.UNREADABLE),
        (b'{"messages":[]}', ANNA, {}, Skip.UNREADABLE),
        (None, NOBODY, {}, Skip.BAD_IDENTITY),
        (b"no gzip", NOBODY, GZIP, Skip.BAD_IDENTITY),
    ],
)
def test_a_body_that_can_not_be_read_just_passes_and_the_callers_own_reason_goes_first(
    body: bytes | None, caller: Caller, headers: dict[str, str], skip: Skip
) -> None:
    said = asked(body, caller, headers=headers)

    assert (said.detected.turn, said.detected.skip, said.body) == (None, skip, None)


@table(
    ("body", "headers"),
    [
        (None, {"x-recollect-recall": "perhaps"}),
        (b"no gzip", {"x-recollect-recall": "perhaps", "content-encoding": "gzip"}),
        (body_of(recollect=7), {}),
        (body_of("I drink tea. " * 25_000), {"x-recollect-recall": "perhaps"}),
    ],
)
async def test_a_senseless_option_is_refused_whatever_the_body_and_in_time_or_not(
    body: bytes | None, headers: dict[str, str]
) -> None:
    for reading in (READING, replace(READING, executor=Never())):
        with pytest.raises(RefusedError):
            await reading.read_in_time(ANNA, fields(headers), body)


LARGE = body_of("I drink tea. " * 25_000)


@table(
    ("body", "headers", "times"),
    [
        (body_of(), {}, 0),
        (gzip.compress(body_of()), GZIP, 1),
        (LARGE, {}, 1),
        (body_of()[:-1] + b"," + b'"x":[' + b"{}," * 5_000 + b"{}]}", {}, 1),
    ],
)
async def test_what_is_large_or_compressed_is_read_beside_the_loop(
    body: bytes, headers: dict[str, str], times: int
) -> None:
    executor = Noting()

    said = await replace(READING, limit=1_000_000, executor=executor).read_in_time(
        ANNA, fields(headers), body
    )

    assert said.detected.turn is not None
    assert said.detected.turn.text.startswith("I drink tea")
    assert executor.asked == times


async def test_what_takes_too_long_to_read_passes_as_it_came_and_says_so() -> None:
    said = await replace(READING, executor=Never()).read_in_time(
        ANNA, [(b"x-recollect-include", b"memories")], LARGE
    )

    assert (said.detected.skip, said.detected.turn, said.body) == (Skip.DEADLINE, None, None)
    assert said.options.includes_memories


ASKS = body_of("I drink tea. " * 25_000, recollect={"session": "s1"})


@table(("body", "headers"), [(ASKS, {}), (gzip.compress(ASKS, mtime=0), GZIP)])
@table("options_executor", [Noting(), Never()])
@table("caller", [ANNA, Caller(skip=Skip.NO_IDENTITY)])
async def test_what_takes_too_long_to_read_and_asks_something_goes_no_further(
    body: bytes, headers: dict[str, str], options_executor: FairExecutor, caller: Caller
) -> None:
    reading = replace(READING, limit=1_000_000, executor=Never(), options_executor=options_executor)

    with pytest.raises(RefusedError) as refused:
        await reading.read_in_time(caller, fields(headers), body)

    assert (refused.value.failure.status, refused.value.failure.code) == (503, "recollect_object_not_read")


async def test_what_takes_too_long_to_read_and_is_packed_passes_if_it_asks_nothing() -> None:
    reading = replace(READING, limit=1_000_000, executor=Never(), options_executor=Noting())

    said = await reading.read_in_time(ANNA, fields(GZIP), gzip.compress(LARGE))

    assert (said.detected.skip, said.body) == (Skip.DEADLINE, None)


def test_what_can_not_be_taken_out_goes_no_further() -> None:
    members = b",".join(b'"%d":1' % number for number in range(20_000))

    with pytest.raises(RefusedError) as refused:
        replace(READING, limit=1_000_000).read_request(
            ANNA, [], b'{"recollect":{},' + members + b"," + body_of()[1:]
        )

    assert (refused.value.failure.status, refused.value.failure.code) == (413, "recollect_object_not_cut")
