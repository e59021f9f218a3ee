"""What was said through the proxy, as the memory API tells of its chat; with the user in the path and without."""

import json
from urllib.parse import quote

from tests.servers.running_proxy import ADMIN_TOKEN, RunningProxy, User


async def test_a_chat_is_listed_and_its_memories_are_at_the_short_path_too(
    proxy: RunningProxy, user: User
) -> None:
    said = await proxy.say(user, "I live in Ghent.", chat="chat-7")
    await proxy.logged(user)
    chat = f"/users/{quote(user.known_as, safe='')}/sessions/chat-7"
    headers = [
        (b"Authorization", b"Bearer " + ADMIN_TOKEN.encode()),
        (b"X-Recollect-User", quote(user.known_as, safe="").encode()),
        (b"Content-Type", b"application/json"),
    ]
    path = b"/api/sessions/chat-7/memories"

    written = await proxy.fetch(
        b"POST", path, headers, json.dumps({"content": "Likes quiet streets."}).encode()
    )
    short = await proxy.fetch(b"GET", path, headers)
    nobody = await proxy.fetch(b"GET", path)

    assert said.status == 200
    listed = (await proxy.api(b"GET", f"{chat}/messages")).json["messages"]
    assert (listed[0]["role"], listed[0]["text"]) == ("user", "I live in Ghent.")
    assert [each["role"] for each in listed] == ["user", "assistant"]
    assert written.status == 201
    assert written.json["id"] in [each["id"] for each in short.json["memories"]]
    assert (await proxy.api(b"GET", f"{chat}/memories/{written.json['id']}")).json == written.json
    assert (nobody.status, nobody.json["error"]["code"]) == (401, "unauthorized")
    assert (await proxy.fetch(b"GET", b"/api/sessions")).status == 404
    assert (await proxy.fetch(b"GET", b"/api/chat")).status == 404
