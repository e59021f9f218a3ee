"""Requests to the memory itself are carried out before the LLM is called, so its answer can confirm them."""

import re

import pytest
from tests.recollect_proxy.frontends import Frontend, Sent
from tests.recollect_proxy.given import given_memory
from tests.scripted.extraction import Pupil
from tests.scripted.upstream import ScriptedUpstream
from tests.servers.running_proxy import RunningProxy, User

FACTS = ("Lives in Lisbon", "Has a dog called Fips", "Works as a nurse")


@pytest.fixture
async def person(proxy: RunningProxy, user: User) -> User:
    """A person with three memories."""
    for content in FACTS:
        await given_memory(proxy, user, content)
    return user


async def listed(chat: Frontend) -> list[str]:
    """Ask for the memories as a numbered list, and return it."""
    sent = await chat.says("What do you know about me?")
    found = re.findall(r"^\u2022 (.+) \(number (\d+)\)$", sent.text, re.MULTILINE)
    chat.messages[-1]["content"] = "\n".join(f"{number}. {content}" for content, number in found)
    return [content for content, _ in found]


async def left(proxy: RunningProxy, user: User) -> set[str]:
    return {*await proxy.statements(user)} & {*FACTS}


def last_done(sent: Sent) -> str:
    """Return the notes next to the last message that say what was done for it."""
    lines = str(sent.messages[-1]["content"]).splitlines()
    return "\n".join(line for line in lines if line.startswith(("- [DONE]", "- [NOT DONE]")))


async def test_what_is_listed_is_forgotten_by_its_number_and_comes_back(
    proxy: RunningProxy, upstream: ScriptedUpstream, pupil: Pupil, person: User
) -> None:
    del pupil  # it understands nothing, so the requests work without a model
    chat = Frontend(proxy, upstream, person)
    numbered = await listed(chat)
    assert {*numbered} == {*FACTS}

    forgotten = await chat.says("Please forget the second one.")

    assert await left(proxy, person) == {*FACTS} - {numbered[1]}
    assert last_done(forgotten).startswith("- [DONE] Forgotten, as the user asked: number 2")

    undone = await chat.says("No, bring it back.")

    assert await left(proxy, person) == {*FACTS}
    assert last_done(undone).startswith("- [DONE] Undone, as the user asked")
