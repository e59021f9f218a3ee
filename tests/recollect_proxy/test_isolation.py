"""Nothing of one user reaches another: canaries, many requests at once, in random order."""

import asyncio
import json
import random

from tests.running_proxy import RunningProxy, User
from tests.scripted_upstream import ScriptedUpstream

REQUESTS = 200
AT_ONCE = 8
NAMES = ("ada", "adaa", "ADA", "../ada", "zoë/ada", "%")
"""Ids that are near each other."""


async def test_no_canary_crosses_over(proxy: RunningProxy, upstream: ScriptedUpstream) -> None:
    dice = random.Random(20)
    users = [User(f"isolation/{name}") for number, name in enumerate(NAMES)]
    canaries = {user: f"canary{dice.getrandbits(64):016x}" for user in users}
    for user, canary in canaries.items():
        await proxy.say(user, f"My secret word, which I use for my safe, is {canary}.", chat="told")
    for user in users:
        await proxy.memories(user)
    upstream.forget()

    turn = asyncio.Semaphore(AT_ONCE)

    async def ask(number: int, user: User) -> tuple[User, bytes]:
        async with turn:
            said = f"What is the secret word for my safe? ({number})"
            answer = await proxy.say(user, said, chat=f"asked-{number}", extra=INCLUDE)
        return user, answer.body

    answers = await asyncio.gather(*(ask(number, dice.choice(users)) for number in range(REQUESTS)))

    owners = {f"({number})": user for number, (user, _) in enumerate(answers)}
    recalled = 0
    for request in upstream.received:
        owner = next(user for mark, user in owners.items() if mark in request.json["messages"][-1]["content"])
        foreign = {canary for user, canary in canaries.items() if user is not owner}
        assert not [canary for canary in foreign if canary in request.body.decode()]
        recalled += canaries[owner] in request.system
    for user, body in answers:
        shown = json.dumps(json.loads(body))
        assert not [canary for other, canary in canaries.items() if other is not user and canary in shown]

    assert len(upstream.received) == REQUESTS
    assert recalled == REQUESTS, "each was told their own"


async def test_the_memory_api_shows_each_user_only_their_own(proxy: RunningProxy) -> None:
    users = [User("canary-a"), User("canary-b")]
    for user in users:
        await proxy.say(user, f"I keep my spare key under the {user.id} pot.")
    for user in users:
        await proxy.memories(user)

    for user, other in zip(users, reversed(users), strict=True):
        page = await proxy.api(b"GET", f"/users/{user.id}/memories")
        history = await proxy.api(b"GET", f"/users/{user.id}/memories/history")
        foreign = json.loads((await proxy.api(b"GET", f"/users/{other.id}/memories")).body)["memories"][0][
            "id"
        ]
        one = await proxy.api(b"GET", f"/users/{user.id}/memories/{foreign}")

        assert user.id.encode() in page.body
        assert other.id.encode() not in page.body + history.body
        assert one.status == 404


INCLUDE = [(b"x-recollect-include", b"memories")]
