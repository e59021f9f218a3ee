"""Paths beside those of a chat are relayed as they are: no memory is read, added or formed."""

import json

from tests.recollect_proxy.given import WHICH_TEA, given_memory
from tests.recollect_proxy.in_turn import in_turn
from tests.scripted.upstream import ScriptedUpstream, whole
from tests.servers.running_proxy import RunningProxy, User, chat_body

BODY = chat_body(WHICH_TEA, input=WHICH_TEA, prompt=WHICH_TEA)

OTHERS = [
    (b"GET", b"/v1/responses/resp_1"),
    (b"GET", b"/v1/responses/resp_1/input_items?limit=2"),
    (b"DELETE", b"/v1/responses/resp_1"),
    (b"POST", b"/v1/responses/resp_1/cancel"),
    (b"POST", b"/v1/responses/input_tokens"),
    (b"POST", b"/v1/responses/compact"),
    (b"GET", b"/v1/responses"),
    (b"POST", b"/v1/messages/count_tokens"),
    (b"POST", b"/v1/messages/batches"),
    (b"GET", b"/v1/messages/batches/b/results"),
    (b"PUT", b"/v1/messages"),
    (b"GET", b"/v1/chat/completions/c_1/messages"),
    (b"POST", b"/v1/chat/completions/c_1"),
    (b"POST", b"/v1/conversations"),
    (b"POST", b"/v1/completions"),
    (b"POST", b"/v1/embeddings"),
    (b"POST", b"/v1/images/generations"),
    (b"POST", b"/v1/audio/speech"),
    (b"POST", b"/v1/files"),
    (b"POST", b"/v1/batches"),
    (b"POST", b"/v1/vector_stores"),
    (b"POST", b"/v1/assistants"),
    (b"POST", b"/v1/realtime/client_secrets"),
    (b"POST", b"/v1/a/path/of/next/year"),
]


@in_turn(("method", "target"), OTHERS)
async def test_another_path_is_relayed_as_it_is(
    proxy: RunningProxy, upstream: ScriptedUpstream, user: User, method: bytes, target: bytes
) -> None:
    await given_memory(proxy, user)
    answered = json.dumps({"object": "whatever", "data": [1.0]}).encode()
    upstream.answers.append(whole(answered, status=202))
    body = BODY if method in {b"POST", b"PUT"} else None

    answer = await proxy.fetch(method, target, user.headers(), body)

    assert (answer.status, answer.body) == (202, answered)
    assert not [name for name, _ in answer.headers if name.startswith(b"x-recollect-")]
    assert (upstream.last.method, upstream.last.target) == (method, target)
    assert upstream.last.body == (body or b"")
    assert await proxy.logged(user) == []
