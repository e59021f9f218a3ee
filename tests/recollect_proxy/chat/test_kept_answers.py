"""An answer that the LLM's server keeps or that is continued is logged once, as one."""

import json
from itertools import product
from typing import Any

from tests.recollect_proxy.chat.spoken import APIS, replies
from tests.recollect_proxy.in_turn import in_turn
from tests.scripted.dialects import named_event
from tests.scripted.upstream import Answer, ScriptedUpstream, streamed, whole
from tests.servers.running_proxy import RunningProxy, User, somebody
from tests.support.raw_client import Fields
from tests.support.waiting import until

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


async def ask(proxy: RunningProxy, user: User, *, extra: Fields = ()) -> None:
    body = {"model": "scripted", "input": ASKED, "background": True}
    await proxy.fetch(b"POST", PATH, user.headers(extra=extra), json.dumps(body).encode())


async def fetch(
    proxy: RunningProxy, user: User, *, method: bytes = b"GET", rest: bytes = b"", extra: Fields = ()
) -> None:
    await proxy.fetch(method, PATH + b"/resp_1" + rest, user.headers(extra=extra))
    await proxy.settle()


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


BEGUN, REST = "The Leie and", " the Scheldt."
WHOLE = BEGUN + REST

CONTINUED: list[tuple[str, dict[str, Any], dict[str, Any], str]] = [
    ("completions", {"content": BEGUN}, {}, REST),
    ("completions", {"content": [{"type": "text", "text": BEGUN}]}, {"add_generation_prompt": False}, REST),
    (
        "completions",
        {"content": BEGUN},
        {"continue_final_message": True, "add_generation_prompt": False},
        REST,
    ),
    ("completions", {"content": BEGUN, "prefix": True}, {}, REST),
    ("completions", {"content": BEGUN, "prefix": True}, {}, WHOLE),
    ("completions", {"content": BEGUN, "tool_calls": []}, {}, REST),
    ("completions", {"content": f"<think>Two rivers.</think>{BEGUN}"}, {}, REST),
    ("responses", {"content": BEGUN}, {}, REST),
    ("responses", {"type": "message", "content": [{"type": "output_text", "text": BEGUN}]}, {}, REST),
    ("messages", {"content": BEGUN}, {}, REST),
    ("messages", {"content": [{"type": "text", "text": BEGUN}]}, {}, REST),
]


async def _said(
    proxy: RunningProxy,
    upstream: ScriptedUpstream,
    case: tuple[str, dict[str, Any], dict[str, Any], str],
    *,
    is_first_known: bool,
) -> User:
    """Ask as a new user, continue the answer, and return the user."""
    name, beginning, fields, answer = case
    api, person = APIS[name], somebody()
    question = {"role": "user", "content": ASKED}
    requests = [([question], BEGUN)] if is_first_known else []
    for said, reply in (*requests, ([question, {"role": "assistant", **beginning}], answer)):
        upstream.otherwise = replies(reply)
        body = json.dumps({"model": "scripted", api.listed: said, **fields}).encode()
        assert (await proxy.fetch(b"POST", api.path, person.headers(), body)).status == 200
        await proxy.settle()
    return person


async def test_a_continued_answer_is_one(proxy: RunningProxy, upstream: ScriptedUpstream) -> None:
    cases = [*product(CONTINUED, (True, False))]
    people = [
        (await _said(proxy, upstream, case, is_first_known=is_first_known)).known_as
        for case, is_first_known in cases
    ]

    kept = "SELECT role, content FROM recollect.messages WHERE user_id = $1 ORDER BY turn_index, id"
    for case, person in zip(cases, people, strict=True):
        rows = [tuple(row) for row in await proxy.rows(kept, person)]
        assert rows == [("user", ASKED), ("assistant", WHOLE)], case
    unfound = (
        "SELECT person FROM unnest($1::text[]) AS person WHERE NOT EXISTS (SELECT FROM recollect.message_chunks AS k "
        "JOIN recollect.messages AS m ON m.user_id = person AND m.id = k.message_id "
        "WHERE k.user_id = person AND m.content = $2 AND m.indexed)"
    )

    async def are_found() -> bool:
        return not await proxy.rows(unfound, people, WHOLE)

    await until(are_found)


async def test_an_answer_of_a_project_is_fetched_with_its_name(
    proxy: RunningProxy, upstream: ScriptedUpstream, user: User
) -> None:
    named = [(b"X-Recollect-Project", b"rivers")]
    upstream.answers += [told("queued"), told("completed", TOLD)]

    await ask(proxy, user, extra=named)
    await fetch(proxy, user, extra=named)

    of_rivers = User(f"{user.known_as}\x1frivers")
    assert await proxy.logged(of_rivers) == [("user", ASKED), ("assistant", TOLD)]
