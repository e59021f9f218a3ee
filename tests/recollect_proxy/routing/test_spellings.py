"""However a chat's path is spelled it has memory, or is refused: the table of docs/reference/upstreams.md; which API a path asks for."""

import re
from collections.abc import AsyncIterator
from pathlib import Path
from types import SimpleNamespace

import pytest
from tests.recollect_proxy.given import WHICH_TEA, given_memory
from tests.recollect_proxy.own_proxies import ListeningProxies
from tests.scripted.upstream import ScriptedUpstream, whole
from tests.servers.running_proxy import RunningProxy, chat_body, somebody
from tests.support.tables import table

from recollect_proxy.destination import chat_path, is_kept_answer
from recollect_proxy.router import ByModel
from recollect_proxy.web.paths import canonical, changes_models, climbs, ollama_call

_PAGE = Path(__file__).parents[3] / "docs" / "reference" / "upstreams.md"
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


async def test_each_spelling_does_what_the_page_says(
    listening_proxy: RunningProxy, rooted: RunningProxy, upstream: ScriptedUpstream
) -> None:
    assert len(TABLE) > 20
    found = [
        (path, *[await _outcome(proxy, upstream, path.encode()) for proxy in (listening_proxy, rooted)])
        for path, *_ in TABLE
    ]
    assert found == TABLE


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
    rb".. %2e%2e %2E. .%2e %252e%252e %25252e%25252E %2525252e%2525252e ..; ..;x ..;a=b ..%3bx "
    rb"..%253bx %2e%2e;x ..%00 ..%00.json %00.. .%00. ..%20 ..%09 %20.. ..%0d%0a ..%7f .%08. ..%23 "
    rb"..%3f ..%3fx ..%253f ..%2f ..%5c ..%5C ..\ ..%255c ..%252f %c0%ae%c0%ae %C0%AE. "
    rb"%e0%80%ae%e0%80%ae %f0%80%80%ae. ..%c0%af ..%c1%9c %25c0%25ae%25c0%25ae %u002e%u002e ..%u2215 "
    rb"%uff0e%uff0e %ef%bc%8e%ef%bc%8e ..%ef%bc%8f ..%ef%bc%bc %e2%80%a5 %ef%bc%852e%ef%bc%852e "
    rb"a/../.. a%2f../.. a%2fb/../.. a%5cb/../.. /../x %20/../.. ;a/.. "
    rb"%2525252525252525252e%2525252525252525252e"
).split()
INSIDE = (
    rb"chat/completions models/org%2Fmodel models/org/model:free a/../b/./c ... ..a a.. x..y "
    rb".well-known files/100%25 models/%E8%AA%9E%E8%A8%80 a%20b v1.5/..name a%2f..%2fb a;.. "
    rb"openai/deployments/gpt-4o%3F"
).split()


@table("step", UPWARDS)
def test_every_spelling_of_a_step_upwards_is_one(step: bytes) -> None:
    assert climbs(b"/" + step + b"/admin/keys")


@table("path", INSIDE)
def test_what_stays_below_its_start_does(path: bytes) -> None:
    assert not climbs(b"/" + path)


def test_a_path_of_many_encodings_is_read_in_linear_time() -> None:
    assert climbs(b"/%" + b"25" * 30_000 + b"2e")


@table(
    "path, base, api",
    [
        (b"/v1/chat/completions", b"/v1", b"/chat/completions"),
        (b"/openai/deployments/gpt/chat/completions", b"/openai", b"/chat/completions"),
        (b"/v1/responses", b"/v1", b"/responses"),
        (b"/llama/v1/messages", b"/llama", b"/messages"),
        (b"/v1/threads/one/messages", b"/v1", None),
        (b"/api/chat", b"", b"/api/chat"),
        (b"/box/api/generate", b"/Box", b"/api/generate"),
        (b"/box/api/generate", b"", None),
        (b"/api/chats", b"", None),
        (b"/v1/models", b"/v1", None),
    ],
)
def test_a_chat_is_known_by_its_path(path: bytes, base: bytes, api: bytes | None) -> None:
    assert chat_path(path, base) == api


@table(
    "path, is_one",
    [
        (b"/v1/responses/resp_1", True),
        (b"/v1/responses/resp_1/cancel", True),
        (b"/v1/responses", False),
        (b"/v1/models/gpt", False),
        (b"/v1/responses/resp_1/input_items", False),
    ],
)
def test_a_kept_answer_is_known_by_its_path(path: bytes, *, is_one: bool) -> None:
    assert is_kept_answer(path, b"/v1") is is_one


@table(
    "path, call, changes",
    [
        (b"/api/tags", b"tags", False),
        *((b"/api/" + each, each, True) for each in (b"pull", b"push", b"create", b"copy", b"delete")),
        (b"/box/api/blobs/sha256:00", b"blobs", True),
        (b"/api/signout", b"signout", True),
        (b"/api/chat/completions", b"", False),  # OpenWebUI's, which names its model
        (b"/api/sessions/one", b"", False),
        (b"/api/v1/models", b"", False),
        (b"/pull", b"", False),
    ],
)
def test_a_call_of_ollamas_is_known_by_its_path(path: bytes, call: bytes, *, changes: bool) -> None:
    assert (ollama_call(path), changes_models(path)) == (call, changes)


@table(
    ("base", "path", "below"),
    [
        (b"", b"/v1/Models/a", b"/Models/a"),
        (b"", b"/%76%31/models", b"/models"),
        (b"", b"//v1/./models", b"/models"),
        (b"/llm", b"/llm/chat/completions", b"/chat/completions"),
    ],
)
def test_another_server_gets_the_path_below_the_base_however_that_is_spelled(
    base: bytes, path: bytes, below: bytes
) -> None:
    by_model = object.__new__(ByModel)
    by_model._default = SimpleNamespace(base=base)  # type: ignore[assignment]  # nothing else of it is asked for

    assert by_model._rest(path, canonical(path)) == below
