"""People who use OpenWebUI see in the stream of an answer what memory does; every byte of it stays as it came."""

import asyncio
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from uuid import uuid4

import pytest
from tests.recollect_proxy.doctor.openwebui_frontend import shown, spoken_for
from tests.recollect_proxy.given import CAT, TEA, WHICH_TEA, given_memory
from tests.recollect_proxy.in_turn import in_turn
from tests.recollect_proxy.own_proxies import ListeningProxies, named, serves
from tests.recollect_proxy.wire.routes import MESSAGES, RESPONSES
from tests.scripted.upstream import (
    DONE,
    EVENT_STREAM,
    Answer,
    End,
    Received,
    ScriptedUpstream,
    Step,
    completion_stream,
    compressed,
    event,
    events,
    head,
    streamed,
)
from tests.servers.running_proxy import CHAT, RunningProxy, User, chat_body, extract_statements
from tests.support.raw_client import RawConnection, Response, request_bytes

from recollect.model import Action, Actor, News, Reason, Update
from recollect_proxy.chat import openwebui_status

STREAM = list(events("Lap", "sang."))
WORDS = b"".join(STREAM[:-1])

SPOKEN: dict[str, tuple[list[bytes], bytes]] = {
    "events": (STREAM[:-1], DONE),
    "no [DONE]": (STREAM[:-1], b""),
    "[DONE] without a line end": (STREAM[:-1], b"data: [DONE]"),
    "CRLF": ([each.replace(b"\n", b"\r\n") for each in STREAM[:-1]], b"data: [DONE]\r\n\r\n"),
    "comments": ([b": ping\n\n", *STREAM[:-1], b": bye\n\n"], DONE),
    "an event of a megabyte": ([b'data: {"x":"' + b"\xc3\xa9" * 2**19 + b'"}\n\n'], DONE),
}
"""The upstream's stream, and its end, which comes after all of our events."""


quick_proxy, proxy = serves(formation_quiet_seconds=0), named("quick_proxy")
"""A proxy that forms memories at once."""


@pytest.fixture
def forming(extraction: ScriptedUpstream) -> Iterator[asyncio.Event]:
    """Set it to let memories be formed."""
    go_on = asyncio.Event()

    def late(request: Received) -> Answer:
        return (go_on, *extract_statements(request))

    extraction.otherwise = late
    yield go_on
    go_on.set()
    extraction.otherwise = extract_statements


async def ask(
    proxy: RunningProxy, user: User, said: str = WHICH_TEA, *, stream: bool = True, chat: str = "chat-1"
) -> Response:
    """Ask on OpenWebUI's page."""
    answer = await proxy.say(user, said, chat=chat, extra=spoken_for(user, said), stream=stream)
    assert answer.status == 200
    return answer


@asynccontextmanager
async def asking(proxy: RunningProxy, user: User, said: str = WHICH_TEA) -> AsyncIterator[RawConnection]:
    """Ask on OpenWebUI's page, and have the answer as it comes."""
    body, headers = chat_body(said, stream=True), user.headers(extra=spoken_for(user, said))
    async with RawConnection(proxy.port) as client, asyncio.timeout(30):
        await client.send(request_bytes(b"POST", CHAT, headers, body))
        assert await client.read_head() == 200
        yield client


async def learned(proxy: RunningProxy, upstream: ScriptedUpstream, user: User, *said: str) -> None:
    """Have something said on OpenWebUI's page and formed."""
    for each in said:
        upstream.answers.append(completion_stream("Nice."))
        await ask(proxy, user, each)
    await proxy.formed(user)


def once_looked(monkeypatch: pytest.MonkeyPatch) -> Answer:
    looked = asyncio.Event()
    look = openwebui_status.StatusEvents._look

    async def noted(shown: openwebui_status.StatusEvents) -> News | None:
        news = await look(shown)
        asyncio.get_running_loop().call_soon(looked.set)
        return news

    monkeypatch.setattr(openwebui_status.StatusEvents, "_look", noted)
    return (looked, *streamed(*STREAM))


# -- events shown -------------------------------------------------------------------------------------------


async def test_what_was_recalled_is_shown_before_the_first_word(
    proxy: RunningProxy, upstream: ScriptedUpstream, user: User
) -> None:
    await given_memory(proxy, user)
    go_on = asyncio.Event()
    upstream.answers.append(
        (head(200, [*EVENT_STREAM, (b"Transfer-Encoding", b"chunked")]), go_on, *streamed(*STREAM)[1:])
    )

    async with asking(proxy, user) as client:
        before = await client.read_until(b"Lapsang Souchong")  # and the upstream said nothing yet
        go_on.set()
        await client.read_until(b"[DONE]")

    assert b"Recalled 1 memory" in before
    assert (await proxy.logged(user))[-1] == ("assistant", "Lapsang.")


async def test_it_is_shown_in_any_chat_of_its_person_once_and_to_nobody_else(
    proxy: RunningProxy,
    upstream: ScriptedUpstream,
    user: User,
    other_user: User,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    await learned(proxy, upstream, user, CAT)

    for who, chat in ((other_user, "chat-1"), (user, "another"), (user, "chat-1")):
        upstream.answers.append(once_looked(monkeypatch))
        lines = shown((await ask(proxy, who, "Good morning!", chat=chat)).body, DONE).lines
        assert [each for each in lines if not each.startswith("Recalled")] == (
            [f"Meanwhile remembered: {CAT}"] if (who, chat) == (user, "another") else []
        )


async def test_what_is_learned_while_an_answer_comes_is_shown_between_its_words(
    proxy: RunningProxy,
    upstream: ScriptedUpstream,
    user: User,
    forming: asyncio.Event,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(openwebui_status, "_LOOK_SECONDS", 0.0)
    upstream.answers.append(completion_stream("Nice."))
    await ask(proxy, user, CAT)
    go_on, talking = asyncio.Event(), [event({"content": "la "}) for _ in range(1000)]
    steps: list[Step] = [part for each in talking for part in (0.02, each)]
    upstream.answers.append(streamed(STREAM[0], go_on, *steps, *STREAM[1:]))

    async with asking(proxy, user, "Good morning?") as client:
        before = await client.read_until(STREAM[0])
        forming.set()
        go_on.set()
        within = await client.read_until(f"Meanwhile remembered: {CAT}".encode())

    assert b"Meanwhile" not in before
    assert b"la " in within


# -- every byte ----------------------------------------------------------------------------------------------


async def always_new(_: openwebui_status.StatusEvents) -> News:
    """Learn something whenever it is looked."""
    at, ids = datetime.now(UTC), uuid4()
    return News("", (), (Update(ids, at, Action.ADD, Actor.FORMATION, Reason.NEW, ids, after=CAT),))


def _with_pauses(pieces: Sequence[bytes]) -> Iterator[Step]:
    """Yield pieces of a stream, with time to look between its events."""
    gone = b""
    for each in pieces:
        gone += each
        yield each
        if gone.endswith((b"\n\n", b"\n\r\n")):
            yield 0.02


@in_turn("by_byte", [False, True])
@in_turn(("words", "last"), SPOKEN.values())
async def test_what_the_upstream_says_stays_as_it_came(
    proxy: RunningProxy,
    upstream: ScriptedUpstream,
    user: User,
    words: list[bytes],
    last: bytes,
    monkeypatch: pytest.MonkeyPatch,
    *,
    by_byte: bool,
) -> None:
    await given_memory(proxy, user)
    stream = b"".join(words) + last
    small = len(stream) < 10_000
    pieces = [stream[at : at + 1] for at in range(len(stream))] if by_byte and small else [*words, last]
    upstream.answers.append(streamed(*_with_pauses(list(filter(None, pieces)))))
    monkeypatch.setattr(openwebui_status.StatusEvents, "_look", always_new)
    monkeypatch.setattr(openwebui_status, "_LOOK_SECONDS", 0.0)

    answer = await ask(proxy, user)
    seen = shown(answer.body, last)

    assert answer.complete
    assert seen.said == stream
    assert seen.before
    assert seen.within or not small


async def test_a_word_waits_neither_for_the_next_one_nor_for_what_is_learned(
    proxy: RunningProxy, upstream: ScriptedUpstream, user: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = asyncio.Event()

    async def not_yet(_: openwebui_status.StatusEvents) -> None:
        await told.wait()

    monkeypatch.setattr(openwebui_status.StatusEvents, "_look", not_yet)
    permissions = [asyncio.Event() for _ in STREAM]
    steps = [step for pair in zip(STREAM, permissions, strict=True) for step in pair]
    upstream.answers.append(streamed(*steps))

    async with asking(proxy, user, CAT) as client:
        for piece, permission in zip(STREAM, permissions, strict=True):
            assert (
                await client.read_chunked(len(piece)) == piece
            )  # [DONE] too, though the upstream has not ended
            permission.set()
    told.set()


async def test_an_answer_that_breaks_off_stays_broken_off(
    proxy: RunningProxy, upstream: ScriptedUpstream, user: User
) -> None:
    await given_memory(proxy, user)
    for last in (b"", b"data: [DO", DONE):
        upstream.answers.append(
            streamed(*STREAM[:-1], last or b": \n\n", End.RESET if not last else End.CLOSE)
        )

        answer = await proxy.say(
            user, WHICH_TEA, chat=f"chat{len(last)}", stream=True, extra=spoken_for(user)[:3]
        )
        seen = shown(answer.body)

        assert not answer.complete
        assert seen.before
        assert seen.within == []
        assert seen.said == WORDS + (last or b": \n\n")


# -- what can't carry it -------------------------------------------------------------------------------------


async def test_an_answer_without_room_for_it_stays_as_it_is(
    proxy: RunningProxy, upstream: ScriptedUpstream, user: User
) -> None:
    await given_memory(proxy, user)
    packed = compressed(WORDS + DONE, "gzip")
    upstream.answers.append(streamed(packed, headers=[*EVENT_STREAM, (b"Content-Encoding", b"gzip")]))

    assert (await ask(proxy, user)).body == packed
    assert TEA.encode() in upstream.last.body


# -- who sees it ---------------------------------------------------------------------------------------------

OTHERS = {
    "who names no role": (b"X-OpenWebUI-User-Role", CHAT, {}),
    "who names no name": (b"X-OpenWebUI-User-Name", CHAT, {}),
    "who has no chat": (b"X-OpenWebUI-Chat-Id", CHAT, {}),
    "in responses": (b"", RESPONSES, {"input": WHICH_TEA}),
    "in messages": (b"", MESSAGES, {}),
    "without a stream": (b"", CHAT, {"stream": False}),
}


@in_turn(("without", "path", "fields"), OTHERS.values())
async def test_another_client_and_another_api_show_nothing(
    proxy: RunningProxy,
    upstream: ScriptedUpstream,
    user: User,
    without: bytes,
    path: bytes,
    fields: dict[str, object],
) -> None:
    await given_memory(proxy, user)
    upstream.answers.append(streamed(*STREAM))
    headers = [each for each in user.headers(extra=spoken_for(user)) if each[0] != without]

    answer = await proxy.fetch(b"POST", path, headers, chat_body(WHICH_TEA, **{"stream": True} | fields))

    assert answer.body == b"".join(STREAM)
    assert answer.header(b"x-recollect-memories") == b"1"


async def test_a_task_shows_nothing_and_it_can_be_switched_off(
    listening_proxies: ListeningProxies, proxy: RunningProxy, upstream: ScriptedUpstream, user: User
) -> None:
    await given_memory(proxy, user)
    upstream.otherwise = lambda _request: streamed(*STREAM)
    task = [*spoken_for(user), (b"X-Recollect-Task", b"title_generation")]

    assert (await proxy.say(user, WHICH_TEA, stream=True, extra=task)).body == b"".join(STREAM)
    async with listening_proxies.serve(openwebui_status=False) as without:
        await given_memory(without, user)
        answer = await ask(without, user)
    assert (answer.body, answer.header(b"x-recollect-memories")) == (b"".join(STREAM), b"1")
