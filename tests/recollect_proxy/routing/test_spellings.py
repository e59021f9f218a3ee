"""However a chat's path is spelled it has memory, or is refused: the table of docs/upstreams.md."""

import re
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from tests.recollect_proxy.given import WHICH_TEA, given_memory
from tests.recollect_proxy.own_proxies import ListeningProxies
from tests.running_proxy import RunningProxy, chat_body, somebody
from tests.scripted_upstream import ScriptedUpstream, whole
from tests.tables import table

from recollect_proxy.routing.paths import chat_path
from recollect_proxy.web.paths import canonical, climbs

_PAGE = Path(__file__).parents[3] / "docs" / "upstreams.md"
_ROW = re.compile(r"^\| `(/[^`]*)` \| (memory|404|passes) \| (memory|404|passes) \|$", re.MULTILINE)
TABLE = _ROW.findall(_PAGE.read_text())
BODY = chat_body(WHICH_TEA, input=WHICH_TEA)


@pytest.fixture(scope="module")
async def rooted(
    session_upstream: ScriptedUpstream, listening_proxies: ListeningProxies
) -> AsyncIterator[RunningProxy]:
    """A proxy whose upstream's own paths are all below ``/``."""
    root = session_upstream.base_url.removesuffix("/v1")
    async with listening_proxies.serve(upstream=root, upstreams=[{"path": "/"}]) as proxy:
        yield proxy


async def _outcome(proxy: RunningProxy, upstream: ScriptedUpstream, target: bytes) -> str:
    user = somebody()
    await given_memory(proxy, user)
    asked = len(upstream.received)
    upstream.answers.append(whole(b'{"choices": []}'))

    answer = await proxy.fetch(b"POST", target, user.headers(), BODY)

    if len(upstream.received) == asked:
        upstream.answers.clear()
        assert (b"x-recollect-error", b"proxy") in answer.headers
        return str(answer.status)
    assert upstream.last.target == target
    has_memory = any(name == b"x-recollect-request-id" for name, _ in answer.headers)
    assert has_memory == (b"recollect_memories" in upstream.last.body)
    assert has_memory or upstream.last.body == BODY
    return "memory" if has_memory else "passes"


async def test_each_spelling_does_below_v1_what_the_page_says(
    listening_proxy: RunningProxy, upstream: ScriptedUpstream
) -> None:
    assert len(TABLE) > 20
    found = {path: await _outcome(listening_proxy, upstream, path.encode()) for path, _, _ in TABLE}
    assert found == {path: below_v1 for path, below_v1, _ in TABLE}


async def test_each_spelling_does_below_the_root_what_the_page_says(
    rooted: RunningProxy, upstream: ScriptedUpstream
) -> None:
    found = {path: await _outcome(rooted, upstream, path.encode()) for path, _, _ in TABLE}
    assert found == {path: below_root for path, _, below_root in TABLE}


async def test_a_servers_own_endpoints_pass_byte_for_byte(
    rooted: RunningProxy, upstream: ScriptedUpstream
) -> None:
    for target in (b"/health", b"/props?x=1", b"/slots", b"/v1/models", b"/"):
        upstream.answers.append(whole(b'{"status":"ok"}'))
        answer = await rooted.fetch(b"GET", target)
        assert (answer.status, answer.body) == (200, b'{"status":"ok"}')
        assert upstream.last.target == target
        assert not [name for name, _ in answer.headers if name.startswith(b"x-recollect-")]


async def test_what_is_ours_stays_ours_below_the_root(
    rooted: RunningProxy, upstream: ScriptedUpstream
) -> None:
    assert (await rooted.fetch(b"GET", b"/memory/live")).status == 200
    await rooted.fetch(b"GET", b"/api/sessions/x/memories")
    assert upstream.received == []


def test_a_path_is_as_the_most_lenient_server_reads_it() -> None:
    readings = {
        b"/v1/chat/completions": b"/v1/chat/completions",
        b"//V1/./chat%2Fx/..//completions/": b"/v1/chat/completions",
        b"/../..": b"",
        b"/v1/%252e%252e/a": b"/a",
        b"/a;b=c/d%3Be": b"/a/d",
        b"/a%00/ b%09": b"/a/b",
        b"/V1/Chat%5cCompletions": b"/v1/chat/completions",
        b"/v1/%63hat%u002fcompletions": b"/v1/chat/completions",
        b"/v1/chat%c0%afcompletions": b"/v1/chat/completions",
        b"/v1/%EF%BD%83hat/completions": b"/v1/chat/completions",
    }
    assert {raw: canonical(raw) for raw in readings} == readings


UPWARDS = (
    *(
        b"..",
        b"%2e%2e",
        b"%2E.",
        b".%2e",
        b"%252e%252e",
        b"%25252e%25252E",
        b"%2525252e%2525252e",
        b"..;",
        b"..;x",
        b"..;a=b",
    ),
    *(
        b"..%3bx",
        b"..%253bx",
        b"%2e%2e;x",
        b"..%00",
        b"..%00.json",
        b"%00..",
        b".%00.",
        b"..%20",
        b"..%09",
        b"%20..",
        b"..%0d%0a",
    ),
    *(
        b"..%7f",
        b".%08.",
        b"..%23",
        b"..%3f",
        b"..%3fx",
        b"..%253f",
        b"..%2f",
        b"..%5c",
        b"..%5C",
        b"..\\",
        b"..%255c",
        b"..%252f",
    ),
    *(
        b"%c0%ae%c0%ae",
        b"%C0%AE.",
        b"%e0%80%ae%e0%80%ae",
        b"%f0%80%80%ae.",
        b"..%c0%af",
        b"..%c1%9c",
        b"%25c0%25ae%25c0%25ae",
    ),
    *(
        b"%u002e%u002e",
        b"..%u2215",
        b"%uff0e%uff0e",
        b"%ef%bc%8e%ef%bc%8e",
        b"..%ef%bc%8f",
        b"..%ef%bc%bc",
        b"%e2%80%a5",
    ),
    *(
        b"%ef%bc%852e%ef%bc%852e",
        b"a/../..",
        b"a%2f../..",
        b"a%2fb/../..",
        b"a%5cb/../..",
        b"/../x",
        b"%20/../..",
        b";a/..",
    ),
    b"%2525252525252525252e%2525252525252525252e",
)
INSIDE = (
    *(
        b"chat/completions",
        b"models/org%2Fmodel",
        b"models/org/model:free",
        b"a/../b/./c",
        b"...",
        b"..a",
        b"a..",
        b"x..y",
        b".well-known",
    ),
    *(
        b"files/100%25",
        b"models/%E8%AA%9E%E8%A8%80",
        b"a%20b",
        b"v1.5/..name",
        b"a%2f..%2fb",
        b"a;..",
        b"openai/deployments/gpt-4o%3F",
    ),
)


@table("step", UPWARDS)
def test_every_spelling_of_a_step_upwards_is_one(step: bytes) -> None:
    assert climbs(b"/" + step + b"/admin/keys")


@table("path", INSIDE)
def test_what_stays_below_its_start_does(path: bytes) -> None:
    assert not climbs(b"/" + path)


def test_a_path_of_many_encodings_is_read_in_linear_time() -> None:
    assert climbs(b"/%" + b"25" * 30_000 + b"2e")


def test_only_what_asks_for_a_chat_is_one() -> None:
    assert chat_path(b"/v1/threads/t/messages", b"/v1") is None
    assert chat_path(b"/v1/chat/completions/c_1/messages", b"/v1") is None
    assert chat_path(b"/openai/v1/responses", b"/v1") == b"/responses"
    assert chat_path(b"/x/chat/completions", b"") == b"/chat/completions"
