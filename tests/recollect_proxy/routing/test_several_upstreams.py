"""Several LLM servers: a request goes to one by its model or its path, and what it is sent follows that one's policy."""

import gzip
import json
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any

import pytest
from tests.recollect_proxy.chat.spoken import RESPONSES
from tests.recollect_proxy.given import TEA, WHICH_TEA, given_memory
from tests.recollect_proxy.own_proxies import ListeningProxies
from tests.scripted.upstream import ScriptedUpstream, failure, whole
from tests.servers.running_proxy import KEY, RunningProxy, User, chat_body
from tests.support.raw_client import Response

from recollect.engine.exchange_recorder import ExchangeRecord
from recollect.engine.live.live_engine import LiveEngine
from recollect.model import Turn
from recollect_proxy.chat.fair_executor import FairExecutor
from recollect_proxy.chat.reply_recorder import KeptAnswers

CLOUD_KEY = b"Bearer key-of-the-cloud"


@dataclass(frozen=True)
class Servers:
    """Three LLM servers, and a proxy before them."""

    default: ScriptedUpstream
    cloud: ScriptedUpstream
    private: ScriptedUpstream
    proxy: RunningProxy

    async def chat(self, user: User, model: str, said: str = WHICH_TEA, **fields: Any) -> Response:
        return await self.proxy.say(user, said, model=model, **fields)

    def forget(self) -> None:
        for each in (self.default, self.cloud, self.private):
            each.forget()


@pytest.fixture(scope="module")
async def module_servers(listening_proxies: ListeningProxies) -> AsyncIterator[Servers]:
    async with ScriptedUpstream() as default, ScriptedUpstream() as cloud, ScriptedUpstream() as private:
        entries = [
            {
                "name": "cloud",
                "url": cloud.base_url,
                "models": ["gpt-*"],
                "api_key": CLOUD_KEY.removeprefix(b"Bearer ").decode(),
                "memories": "none",
                "history": False,
                "learn": False,
            },
            {
                "name": "preferences-only",
                "url": cloud.base_url,
                "models": ["some-kinds"],
                "memories": ["preference"],
                "history": False,
            },
            {"name": "some-people", "url": cloud.base_url, "models": ["few"], "users": ["anna-*"]},
            {"name": "private", "url": private.base_url.removesuffix("/v1"), "path": "/private"},
            {"name": "keyed", "url": cloud.base_url, "path": "/keyed", "api_key": "own"},
        ]
        async with listening_proxies.serve(upstream=default.base_url, upstreams=entries) as proxy:
            yield Servers(default, cloud, private, proxy)


@pytest.fixture
def servers(module_servers: Servers) -> Servers:
    module_servers.forget()
    return module_servers


def _header(answer: Response, name: bytes) -> bytes | None:
    return next((value for key, value in answer.headers if key == name), None)


async def test_a_model_goes_to_the_server_that_takes_it_and_any_other_to_the_default(
    servers: Servers, user: User
) -> None:
    took_it = await servers.chat(user, "GPT-6")
    unknown = await servers.chat(user, "llama")

    assert [len(each.received) for each in (servers.default, servers.cloud, servers.private)] == [1, 1, 0]
    assert _header(took_it, b"x-recollect-upstream") == b"cloud"
    assert _header(unknown, b"x-recollect-upstream") == b"default"
    assert servers.cloud.last.target == b"/v1/chat/completions"


async def test_other_paths_go_by_their_model_too(servers: Servers) -> None:
    json_type = [(b"Content-Type", b"application/json")]
    body = b'{"input": "x" , "model":"gpt-embedding", "n": 1e400}'
    await servers.proxy.fetch(b"POST", b"/v1/embeddings?a=%20b", json_type, body)
    assert (servers.cloud.last.target, servers.cloud.last.body) == (b"/v1/embeddings?a=%20b", body)

    await servers.proxy.fetch(b"GET", b"/v1/models/gpt-6")
    assert servers.cloud.last.target == b"/v1/models/gpt-6"

    await servers.proxy.fetch(
        b"POST", b"/v1/files", [(b"Content-Type", b"multipart/form-data; boundary=x")], b"--x--"
    )
    assert servers.default.last.target == b"/v1/files"
    assert len(servers.cloud.received) == 2


async def test_json_that_is_sent_as_something_else_goes_by_its_model_too(servers: Servers) -> None:
    """As curl sends what it is given with -d."""
    for kind in (b"application/x-www-form-urlencoded", b"text/plain; charset=utf-8"):
        body = b' {"model": "gpt-embedding", "input": "a secret"}'
        await servers.proxy.fetch(b"POST", b"/v1/embeddings", [(b"Content-Type", kind)], body)
        assert servers.cloud.last.body == body
        twice = b'{"model": "llama", "model": "gpt-6"}'
        refused = await servers.proxy.fetch(b"POST", b"/v1/embeddings", [(b"Content-Type", kind)], twice)
        assert json.loads(refused.body)["error"]["code"] == "model_not_read"
    assert servers.default.received == []

    form = [(b"Content-Type", b"application/x-www-form-urlencoded")]
    await servers.proxy.fetch(b"POST", b"/v1/things", form, b"model=gpt-6&x=1")
    assert servers.default.last.body == b"model=gpt-6&x=1"


async def test_a_path_of_its_own_leads_to_one_server_whatever_model_is_named(
    servers: Servers, user: User
) -> None:
    await given_memory(servers.proxy, user)
    answer = await servers.proxy.fetch(
        b"POST", b"/private/v1/chat/completions", user.headers(), chat_body(WHICH_TEA, model="gpt-6")
    )
    await servers.proxy.fetch(b"GET", b"/private/health")

    assert [each.target for each in servers.private.received] == [b"/v1/chat/completions", b"/health"]
    assert servers.private.received[0].body.find(TEA.encode()) > 0
    assert _header(answer, b"x-recollect-upstream") == b"private"
    assert servers.cloud.received == servers.default.received == []


async def test_every_chat_api_has_memory_at_every_server(servers: Servers, user: User) -> None:
    await given_memory(servers.proxy, user)
    anna = User("anna-" + user.id)
    await given_memory(servers.proxy, anna)
    for model, asked, who in (("llama", servers.default, user), ("few", servers.cloud, anna)):
        for api in (b"/chat/completions", b"/responses", b"/messages", b"//responses/", b"/Messages"):
            body = chat_body(WHICH_TEA, input=WHICH_TEA, model=model)
            await servers.proxy.fetch(b"POST", b"/v1" + api, who.headers(chat=f"{model}{api!r}"), body)
            assert (asked.last.target, TEA.encode() in asked.last.body) == (b"/v1" + api, True)


async def test_a_clients_key_goes_to_no_server_that_the_model_chose(servers: Servers, user: User) -> None:
    await servers.chat(user, "gpt-6", extra=[(b"Cookie", b"session=1"), (b"X-Api-Key", b"sk-client")])
    assert servers.cloud.last.values(b"authorization") == [CLOUD_KEY]
    assert servers.cloud.last.values(b"x-api-key") == [CLOUD_KEY.removeprefix(b"Bearer ")]
    assert servers.cloud.last.values(b"cookie") == []
    await servers.chat(user, "some-kinds", extra=[(b"Cookie", b"session=1")])
    assert servers.cloud.last.values(b"authorization") == servers.cloud.last.values(b"cookie") == []
    await servers.chat(user, "llama")
    assert servers.default.last.values(b"authorization") == [KEY]


async def test_the_key_of_who_fetches_an_answer_is_lent_to_the_server_that_it_is_for_alone(
    servers: Servers, user: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    lent: list[str | None] = []

    async def note(*_: object, credential: str | None, **__: object) -> None:
        lent.append(credential)

    monkeypatch.setattr(KeptAnswers, "_note", note)
    for path, server in ((b"/keyed", servers.cloud), (b"/private/v1", servers.private)):
        server.answers.append(whole(RESPONSES.whole("All right.")))
        await servers.proxy.fetch(b"GET", path + b"/responses/resp_1", user.headers())
    await servers.proxy.settle()

    assert lent == [None, KEY.decode()]


async def test_a_key_is_lent_to_background_calls_of_the_server_that_it_is_for_alone(
    servers: Servers, user: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    lent: list[str | None] = []
    begin = LiveEngine.begin_turn

    def note(self: LiveEngine, turn: Turn, *, credential: str | None) -> ExchangeRecord | None:
        lent.append(credential)
        return begin(self, turn, credential=credential)

    monkeypatch.setattr(LiveEngine, "begin_turn", note)
    for number, path in enumerate((b"/keyed", b"/private/v1", b"/v1")):
        headers = user.headers(chat=f"chat-{number}")
        await servers.proxy.fetch(b"POST", path + b"/chat/completions", headers, chat_body(WHICH_TEA))
    await servers.chat(user, "some-kinds", chat="chat-3")

    assert lent == [None, KEY.decode(), KEY.decode(), None]


async def test_what_may_not_be_sent_is_not_and_nothing_is_learned_and_the_explanation_says_so(
    servers: Servers, user: User
) -> None:
    await given_memory(servers.proxy, user)

    answer = await servers.chat(user, "gpt-6")

    assert b"recollect_memories" not in servers.cloud.last.body
    assert _header(answer, b"x-recollect-skipped") == b"upstream-policy"
    told = await _explained(servers, user, answer)
    assert (told["upstream"], told["skipped"], told["items"]) == ("cloud", "upstream-policy", 0)
    assert "not-learned" in told["flags"]
    assert await servers.proxy.logged(user) == []
    rows = "SELECT FROM recollect.exchanges WHERE user_id = $1"
    assert not await servers.proxy.rows(rows, user.known_as)


async def test_some_kinds_may_be_sent_and_each_of_the_others_says_why_not(
    servers: Servers, user: User
) -> None:
    await given_memory(servers.proxy, user)  # a fact

    answer = await servers.chat(user, "some-kinds")

    assert TEA.encode() not in servers.cloud.last.body
    told = await _explained(servers, user, answer)
    assert told["skipped"] == "upstream-policy"
    assert {each["dropped"] for each in told["candidates"]} == {"upstream-policy"}
    assert (b"user", WHICH_TEA) in [(role.encode(), said) for role, said in await servers.proxy.logged(user)]

    await _given(servers, user, "Green tea is the favourite tea.", "preference")
    await servers.chat(user, "some-kinds", chat="chat-2")
    assert b"Green tea is the favourite tea" in servers.cloud.last.body
    assert TEA.encode() not in servers.cloud.last.body


async def test_what_a_chat_was_given_for_one_server_is_not_repeated_to_another(
    servers: Servers, user: User
) -> None:
    await given_memory(servers.proxy, user)
    first = {"role": "user", "content": WHICH_TEA}
    await servers.chat(user, "llama")
    assert TEA.encode() in servers.default.last.body
    more = [
        first,
        {"role": "assistant", "content": "All right."},
        {"role": "user", "content": "And with milk?"},
    ]

    for model in ("gpt-6", "some-kinds"):
        await servers.proxy.say(user, more, model=model)
        assert TEA.encode() not in servers.cloud.last.body
    await servers.proxy.say(user, more, model="llama")
    assert TEA.encode() in servers.default.last.body


async def test_of_people_it_is_not_for_nothing_is_sent_or_learned(servers: Servers, user: User) -> None:
    anna = User("anna-" + user.id)
    for each in (anna, user):
        await given_memory(servers.proxy, each)

    assert _header(await servers.chat(user, "few"), b"x-recollect-skipped") == b"upstream-policy"
    assert TEA.encode() not in servers.cloud.last.body
    await servers.chat(anna, "few")
    assert TEA.encode() in servers.cloud.last.body
    assert await servers.proxy.logged(user) == []
    assert await servers.proxy.logged(anna) != []


@pytest.mark.parametrize(
    "body",
    [
        b'{"model":"llama","messages":[],"model":"gpt-6"}',
        b'{"model":"llama","mod\\u0065l":"gpt-6"}',
        b'{"model": "gpt-6"',
        b"[1]",
    ],
)
async def test_a_body_whose_model_is_uncertain_goes_nowhere(
    servers: Servers, user: User, body: bytes
) -> None:
    answer = await servers.proxy.fetch(b"POST", b"/v1/chat/completions", user.headers(), body)
    assert (answer.status, json.loads(answer.body)["error"]["code"]) == (400, "model_not_read")
    assert servers.default.received == servers.cloud.received == []


async def test_a_body_whose_model_is_read_too_late_goes_nowhere_and_may_be_sent_again(
    servers: Servers, user: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def late(*_: object) -> None:
        raise TimeoutError

    packed = gzip.compress(b'{"model": "gpt-6", "messages": []}')
    with monkeypatch.context() as patch:
        patch.setattr(FairExecutor, "submit", late)
        answer = await servers.proxy.fetch(
            b"POST", b"/v1/embeddings", [*user.headers(), (b"content-encoding", b"gzip")], packed
        )

    assert (answer.status, json.loads(answer.body)["error"]["code"]) == (503, "model_read_late")
    assert servers.default.received == servers.cloud.received == []


async def test_a_path_that_may_be_read_as_another_servers_is_refused(servers: Servers, user: User) -> None:
    for target in (
        b"/private/../v1/chat/completions",
        b"/private/%2e%2e/v1/chat/completions",
        b"/v1/../private/v1/chat/completions",
    ):
        answer = await servers.proxy.fetch(b"POST", target, user.headers(), chat_body(WHICH_TEA))
        assert (answer.status, json.loads(answer.body)["error"]["code"]) == (400, "ambiguous_path")
    assert (await servers.proxy.fetch(b"GET", b"/PRIVATE/health")).status == 404
    assert servers.default.received == servers.private.received == []


async def test_lists_of_models_are_merged_the_defaults_first_each_as_its_server_wrote_it(
    servers: Servers,
) -> None:
    own = [b'{"id":"llama", "created":1.0}', b'{"id":"gpt-old"}', b'{"id":"\\u00e9"}']
    others = [b'{"id":"gpt-6","x":1e400}', b'{"id":"not-routed-there"}', b'{"id":"few"}']
    servers.default.answers.append(_models(own))
    servers.cloud.otherwise = lambda _: _models(others)

    asked = [(b"Authorization", KEY), (b"Accept-Encoding", b"gzip")]
    answer = await servers.proxy.fetch(b"GET", b"/v1/models", asked)

    listed = b",".join([own[0], own[2], others[0], others[2]])
    assert answer.body == b'{"object":"list","data":[' + listed + b"]}"
    assert KEY not in b"".join(each.head for each in servers.cloud.received)
    assert [each.values(b"accept-encoding") for each in servers.cloud.received] == [[]] * 3  # they are read


async def test_a_server_without_a_list_is_named_and_hides_no_other(servers: Servers) -> None:
    servers.default.answers.append(_models([b'{"id":"llama"}']))
    servers.cloud.otherwise = lambda _: failure(500)

    answer = await servers.proxy.fetch(b"GET", b"/v1/models")

    assert json.loads(answer.body)["data"] == [{"id": "llama"}]
    assert _header(answer, b"x-recollect-upstreams-missing") == b"cloud,preferences-only,some-people"


def _models(listed: list[bytes]) -> Any:
    return whole(b'{"object":"list","data":[' + b" ,".join(listed) + b"]}")


async def _given(servers: Servers, user: User, content: str, kind: str) -> None:
    answer = await servers.proxy.api(
        b"POST", f"/users/{user.known_as}/memories", {"content": content, "kind": kind}
    )
    assert answer.status == 201, answer.body


async def _explained(servers: Servers, user: User, answer: Response) -> dict[str, Any]:
    request_id = _header(answer, b"x-recollect-request-id")
    assert request_id is not None
    told = await servers.proxy.api(b"GET", f"/users/{user.known_as}/explain/{request_id.decode()}")
    assert told.status == 200, told.body
    explained: dict[str, Any] = json.loads(told.body)
    return explained
