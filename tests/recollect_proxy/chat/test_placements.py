"""Blocks stay in their places over a chat, as each model's upstream takes them, so the upstream's prompt cache holds."""

import json
from collections.abc import Mapping
from itertools import pairwise

import pytest
from tests.recollect_proxy.chat.spoken import APIS, Api
from tests.recollect_proxy.frontends import Frontend, Sent
from tests.recollect_proxy.given import TEA, WHICH_CAT, WHICH_TEA, given_memory
from tests.recollect_proxy.own_proxies import OwnProxies, named
from tests.scripted.upstream import ScriptedUpstream
from tests.servers.running_proxy import RunningProxy, User
from tests.support.tables import table

from recollect.composition import Placed
from recollect.wire import COMPLETIONS, ChatBody, SystemStyle
from recollect_proxy.chat.request_preparer import compose

CAT = "My cat is called Minka."
JOB = "I work as a glazier in Bremen."
WHICH_JOB = "In which town do I work as a glazier?"
SUM = "sqrt(2)*sqrt(8)="
LOGARITHM = "log(100)+7="
FENCE = "<recollect_memories>"

IN_EACH = pytest.mark.parametrize("api", APIS.values(), ids=APIS)


proxy = named("session_listening")


@pytest.fixture
async def chatter(proxy: RunningProxy, user: User) -> User:
    for content in (TEA, CAT, JOB):
        await given_memory(proxy, user, content)
    return user


def fenced(sent: Sent) -> list[bool]:
    """Return for each message of the conversation whether it has a block."""
    return [FENCE in json.dumps(message) for message in sent.messages]


# -- stable ----------------------------------------------------------------------------------------


@IN_EACH
async def test_a_request_is_how_the_next_one_of_its_chat_begins(
    proxy: RunningProxy, upstream: ScriptedUpstream, chatter: User, api: Api
) -> None:
    chat = Frontend(proxy, upstream, chatter, api=api)

    sent = [await chat.says(text) for text in (WHICH_TEA, SUM, WHICH_CAT, LOGARITHM, WHICH_JOB)]

    assert TEA in sent[0].system
    assert all(one.begins(next_one) for one, next_one in pairwise(sent))
    assert {each.system for each in sent} == {sent[0].system}
    assert "Minka" not in sent[0].system
    assert fenced(sent[-1]) == [False, False, False, False, True, False, False, False, True]
    assert "Minka" in json.dumps(sent[-1].messages[4])
    assert "glazier in Bremen" in json.dumps(sent[-1].messages[8])


# -- the other placements --------------------------------------------------------------------------


async def test_a_request_says_where_it_goes_and_the_settings_which_models_take_no_system_prompt(
    own_proxies: OwnProxies, upstream: ScriptedUpstream, user: User
) -> None:
    async with own_proxies.serve(system_styles={"gemma*": "none"}) as proxy:
        await given_memory(proxy, user)
        asked = Frontend(proxy, upstream, user, headers=[(b"X-Recollect-Placement", b"user")])
        other = Frontend(proxy, upstream, user, "chat-2")
        gemma = Frontend(proxy, upstream, user, "chat-3", model="Gemma-3-it")

        assert fenced(await asked.says(WHICH_TEA)) == [True]
        assert TEA in (await other.says(WHICH_TEA)).system
        sent = [await gemma.says(text) for text in (WHICH_TEA, SUM)]

    assert [each.system for each in sent] == ["", ""]
    assert fenced(sent[1]) == [True, False, False]
    assert sent[0].begins(sent[1])


KNOWN = "<recollect_memories>\n- tea\n</recollect_memories>"


def chat_with(model: str) -> ChatBody:
    chat = COMPLETIONS.read(
        json.dumps({"model": model, "messages": [{"role": "user", "content": "Which tea?"}]}).encode()
    )
    assert chat is not None
    return chat


def composed(model: str, styles: Mapping[str, SystemStyle]) -> list[dict[str, str]]:
    body = compose(COMPLETIONS, styles, chat_with(model), Placed(system=KNOWN))
    assert body is not None
    messages: list[dict[str, str]] = json.loads(body)["messages"]
    return messages


SYSTEM = [{"role": "system", "content": KNOWN}, {"role": "user", "content": "Which tea?"}]
DEVELOPER = [{"role": "developer", "content": KNOWN}, {"role": "user", "content": "Which tea?"}]
NONE = [{"role": "user", "content": f"Which tea?\n\n{KNOWN}"}]


@table(
    ("model", "styles", "messages"),
    [
        ("gemma-3", {}, SYSTEM),
        ("gemma-3", {"gemma*": SystemStyle.NONE}, NONE),
        ("Gemma-3-IT", {"gemma*": SystemStyle.NONE}, NONE),
        ("google/gemma-3", {"gemma*": SystemStyle.NONE}, SYSTEM),
        ("google/gemma-3", {"*gemma*": SystemStyle.NONE}, NONE),
        ("o3", {"o*": SystemStyle.DEVELOPER, "o3": SystemStyle.NONE}, DEVELOPER),
        ("o3", {"o3": SystemStyle.NONE, "o*": SystemStyle.DEVELOPER}, NONE),
    ],
)
def test_the_first_pattern_that_fits_the_models_name_counts(
    model: str, styles: Mapping[str, SystemStyle], messages: list[dict[str, str]]
) -> None:
    assert composed(model, styles) == messages
