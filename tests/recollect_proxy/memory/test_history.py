"""The conversation is restored for a client that sends its last message alone, and what stands in every chat is sent with the first."""

import pytest
from tests.recollect_proxy.frontends import REPLY, LastOnly, Sent
from tests.recollect_proxy.given import given_memory
from tests.recollect_proxy.own_proxies import named, serves
from tests.scripted.upstream import ScriptedUpstream
from tests.servers.running_proxy import RunningProxy, User

from recollect.text.tokens import estimate_tokens

BOAT = "My boat is called Albatros."
COLOUR = "Which colour should I paint it?"
SAIL = "Does it need a new sail?"
SESSION = [(b"X-Recollect-Session", b"the boat")]


proxy = named("session_listening")


@pytest.fixture
def client(proxy: RunningProxy, upstream: ScriptedUpstream, user: User) -> LastOnly:
    return LastOnly(proxy, upstream, user, chat=None, headers=SESSION)


def said(sent: Sent) -> list[tuple[str, str]]:
    return [(message["role"], message["content"].partition("\n\n<recollect")[0]) for message in sent.messages]


async def test_what_was_said_before_comes_back_as_messages(client: LastOnly) -> None:
    first = await client.says(BOAT)
    second = await client.says(COLOUR)
    third = await client.says(SAIL)

    assert said(first) == [("user", BOAT)]
    assert said(second) == [("user", BOAT), ("assistant", REPLY), ("user", COLOUR)]
    assert said(third) == [
        *[("user", BOAT), ("assistant", REPLY)],
        *[("user", COLOUR), ("assistant", REPLY)],
        ("user", SAIL),
    ]
    assert int(client.answer[b"x-recollect-history-tokens"]) > 0


FACTS = (
    "Lives in Lisbon.",
    "Works as a nurse.",
    "Has a dog called Fips.",
    "Is allergic to nuts.",
    "Wants short answers.",
)
SUM = "sqrt(2)*sqrt(8)="
INCLUDE = [(b"X-Recollect-Include", b"memories")]


module_proxy, standing_proxy = serves(standing_tokens=160), named("module_proxy")
"""A proxy that gives standing memories to every chat."""


@pytest.fixture
async def chatter(standing_proxy: RunningProxy, user: User) -> User:
    for content in FACTS:
        await given_memory(standing_proxy, user, content)
    return user


async def test_it_is_told_apart_in_the_answer_its_headers_and_its_explanation(
    standing_proxy: RunningProxy, upstream: ScriptedUpstream, chatter: User
) -> None:
    answer = await standing_proxy.say(chatter, SUM, extra=INCLUDE)
    await standing_proxy.settle()

    memories = answer.json["memories"]
    assert {each["preview"] for each in memories} == set(FACTS)
    assert all(each["standing"] is True and each["score"] == 0 for each in memories)
    lines = "\n".join(f"• {each['preview']}" for each in memories)
    assert answer.header(b"x-recollect-standing-tokens") == b"%d" % estimate_tokens(lines)
    assert int(answer.header(b"x-recollect-memory-tokens") or 0) > estimate_tokens(lines)
    request_id = (answer.header(b"x-recollect-request-id") or b"").decode()
    explanation = (await standing_proxy.api(b"GET", f"/explain/{request_id}")).json
    assert (explanation["standing_items"], explanation["standing_tokens"]) == (
        len(FACTS),
        estimate_tokens(lines),
    )
    assert "standing" in explanation["flags"]
    standing = [each for each in explanation["candidates"] if each["standing"]]
    assert {each["id"] for each in standing} == {each["id"] for each in memories}
    assert {each["dropped"] for each in standing} == {None}
    assert upstream.last.system.count("\n\u2022 ") == len(FACTS)
