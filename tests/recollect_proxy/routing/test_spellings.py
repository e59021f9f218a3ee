"""However a chat's path is spelled it has memory, or is refused: the table of docs/upstreams.md."""

import re
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from tests.recollect_proxy.given import WHICH_TEA, given_memory
from tests.recollect_proxy.own_proxies import ListeningProxies
from tests.running_proxy import RunningProxy, chat_body, somebody
from tests.scripted_upstream import ScriptedUpstream, whole

from recollect_proxy.routing.paths import canonical, chat_path

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
    }
    assert {raw: canonical(raw) for raw in readings} == readings


def test_only_what_asks_for_a_chat_is_one() -> None:
    assert chat_path(b"/v1/threads/t/messages", b"/v1") is None
    assert chat_path(b"/v1/chat/completions/c_1/messages", b"/v1") is None
    assert chat_path(b"/openai/v1/responses", b"/v1") == b"/responses"
    assert chat_path(b"/x/chat/completions", b"") == b"/chat/completions"
