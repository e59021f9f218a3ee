"""An answer that the LLM's server keeps, of a request in the background, is logged once when its person fetches it."""

import json
from typing import Any

from tests.recollect_proxy.in_turn import in_turn
from tests.recollect_proxy.own_proxies import ListeningProxies
from tests.recollect_proxy.spoken import named_event
from tests.scripted.upstream import Answer, ScriptedUpstream, streamed, whole
from tests.servers.running_proxy import RunningProxy, User

ASKED, TOLD = "Which rivers meet in Ghent?", "The Leie and the Scheldt."
PATH = b"/v1/responses"


def response(status: str, text: str = "", *, of: str = "resp_1", kind: str = "output_text") -> dict[str, Any]:
    name = "transcript" if kind == "output_audio" else "text"
    said = [{"type": "message", "role": "assistant", "content": [{"type": kind, name: text}]}]
    return {
        "id": of,
        "object": "response",
        "background": True,
        "status": status,
        "error": {"code": "server_error", "message": "sk-secret"} if status == "failed" else None,
        "output": said if text else [],
    }


def told(status: str, text: str = "", **other: Any) -> Answer:
    return whole(json.dumps(response(status, text, **other)).encode())


def resumed(*pieces: str) -> Answer:
    """Return a stream that is taken up again behind some pieces."""
    return streamed(
        *(named_event({"type": "response.output_text.delta", "delta": each}) for each in pieces),
        named_event({"type": "response.completed", "response": response("completed", TOLD)}),
    )


async def ask(proxy: RunningProxy, user: User, **fields: Any) -> None:
    body = {"model": "scripted", "input": ASKED, "background": True, **fields}
    await proxy.fetch(b"POST", PATH, user.headers(), json.dumps(body).encode())


async def fetch(proxy: RunningProxy, user: User, *, method: bytes = b"GET", rest: bytes = b"") -> bytes:
    answer = await proxy.fetch(method, PATH + b"/resp_1" + rest, user.headers())
    await proxy.settle()
    return answer.body


async def failures(proxy: RunningProxy, user: User) -> list[tuple[str | None, str | None]]:
    rows = await proxy.rows(
        "SELECT failed_at, partial FROM recollect.exchanges WHERE user_id = $1", user.known_as
    )
    return [(row["failed_at"], row["partial"]) for row in rows]


@in_turn(
    ("answer", "rest"),
    [
        (told("completed", TOLD), b""),
        (told("completed", TOLD, kind="output_audio"), b""),
        (told("incomplete", TOLD), b""),
        (resumed("The Leie ", "and the Scheldt."), b"?stream=true"),
        (resumed("the Scheldt."), b"?stream=true&starting_after=3"),
    ],
)
async def test_an_answer_in_the_background_is_logged_once_when_it_is_fetched(
    proxy: RunningProxy, upstream: ScriptedUpstream, user: User, answer: Answer, rest: bytes
) -> None:
    upstream.answers += [told("queued"), told("queued"), told("in_progress"), answer, answer]
    await ask(proxy, user)
    for _ in range(2):
        await fetch(proxy, user)
    assert await proxy.logged(user) == [("user", ASKED)]
    states = "SELECT state FROM recollect.exchanges WHERE user_id = $1"
    assert [row["state"] for row in await proxy.rows(states, user.known_as)] == ["open"]

    for _ in range(2):
        await fetch(proxy, user, rest=rest)

    everything = "SELECT role, content FROM recollect.messages WHERE user_id = $1 ORDER BY turn_index"
    logged = [(row["role"], row["content"]) for row in await proxy.rows(everything, user.known_as)]
    assert logged == [("user", ASKED), ("assistant", TOLD)]
    await proxy.formed(user)
    assert [row["state"] for row in await proxy.rows(states, user.known_as)] == ["formed"]


async def test_nobody_else_who_fetches_an_answer_has_it_logged(
    proxy: RunningProxy, upstream: ScriptedUpstream, user: User, other_user: User
) -> None:
    upstream.answers += [told("queued"), told("completed", TOLD), told("completed", TOLD, of="resp_2")]
    await ask(proxy, user)
    await fetch(proxy, other_user)
    await fetch(proxy, user)

    assert await proxy.logged(user) == [("user", ASKED)]
    assert await proxy.logged(other_user) == []


@in_turn(
    ("answer", "method", "rest", "logged", "failed"),
    [
        (told("failed"), b"GET", b"", [], ("stream", "")),
        (told("failed", "The Lei"), b"GET", b"", [], ("stream", "The Lei")),
        (told("cancelled"), b"POST", b"/cancel", [], ("client", "")),
        (told("cancelled", "The Lei"), b"POST", b"/cancel", [("assistant", "The Lei")], ("client", "")),
    ],
)
async def test_a_kept_answer_that_failed_says_so(
    proxy: RunningProxy,
    upstream: ScriptedUpstream,
    user: User,
    answer: Answer,
    method: bytes,
    rest: bytes,
    logged: list[tuple[str, str]],
    failed: tuple[str, str],
) -> None:
    upstream.answers += [told("queued"), answer]
    await ask(proxy, user)
    await fetch(proxy, user, method=method, rest=rest)

    assert await proxy.logged(user) == [("user", ASKED), *logged]
    assert await failures(proxy, user) == [failed]


async def test_another_process_logs_an_answer_that_is_fetched_over_it(
    listening_proxies: ListeningProxies, upstream: ScriptedUpstream, user: User
) -> None:
    async with listening_proxies.serve() as one, listening_proxies.serve() as other:
        upstream.answers += [told("queued"), told("completed", TOLD)]
        await ask(one, user)
        await one.settle()
        await fetch(other, user)

        assert await one.logged(user) == [("user", ASKED), ("assistant", TOLD)]
