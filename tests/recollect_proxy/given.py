"""What a test takes as given: a memory that a user has already."""

import json
from urllib.parse import quote

from tests.servers.running_proxy import ADMIN_TOKEN, RunningProxy, User

TEA = "My favourite tea is Lapsang Souchong."
WHICH_TEA = "Which tea is my favourite?"
CAT = "I have a cat called Minka."
WHICH_CAT = "What is my cat called?"


async def given_memory(proxy: RunningProxy, user: User, content: str = TEA, **more: str) -> User:
    answer = await proxy.fetch(
        b"POST",
        f"/memory/users/{quote(user.known_as, safe='')}/memories".encode(),
        [(b"Authorization", b"Bearer " + ADMIN_TOKEN.encode()), (b"Content-Type", b"application/json")],
        json.dumps({"content": content, **more}).encode(),
    )
    assert answer.status == 201, answer.body
    return user
