"""What is changed while it runs takes effect with the next request: for everybody, or for one user."""

from collections.abc import AsyncIterator

import pytest
from tests.recollect_proxy.frontends import Frontend
from tests.recollect_proxy.given import TEA, WHICH_TEA, given_memory
from tests.recollect_proxy.own_proxies import OwnProxies
from tests.running_proxy import RunningProxy, User, chat_body
from tests.scripted_extraction import Lesson, Pupil
from tests.scripted_upstream import ScriptedUpstream
from tests.waiting import until

CAT = "I have a cat called Minka."
FOR = pytest.mark.parametrize("path", ["/settings", "/users/{user}/settings"], ids=["everybody", "one user"])


@pytest.fixture(scope="module")
async def changeable(own_proxies: OwnProxies) -> AsyncIterator[RunningProxy]:
    async with own_proxies.serve() as proxy:
        yield proxy


@pytest.fixture
async def own_proxy(changeable: RunningProxy, upstream: ScriptedUpstream) -> AsyncIterator[RunningProxy]:
    """A proxy whose settings are this test's alone."""
    assert upstream.base_url == changeable.settings.upstream
    yield changeable
    await changeable.all_formed()
    as_before = dict.fromkeys(("record", "recall", "formation", "placement"))
    assert (await changeable.api(b"PATCH", "/settings", as_before)).status == 200


async def change(proxy: RunningProxy, path: str, user: User, **flags: object) -> None:
    answer = await proxy.api(b"PATCH", path.format(user=user.id), flags)
    assert answer.status == 200, answer.body


@FOR
async def test_recall_is_off_and_on_again_at_once(
    own_proxy: RunningProxy, upstream: ScriptedUpstream, user: User, other_user: User, path: str
) -> None:
    for each in (user, other_user):
        await given_memory(own_proxy, each)

    await change(own_proxy, path, user, recall=False)
    off = await own_proxy.say(user, WHICH_TEA, chat="off")
    as_it_came = upstream.last.body
    await own_proxy.say(other_user, WHICH_TEA, chat="off")
    others = upstream.last.system
    await change(own_proxy, path, user, recall=None)
    await own_proxy.say(user, WHICH_TEA, chat="on")

    assert off.header(b"x-recollect-skipped") == b"off"
    assert as_it_came == chat_body(WHICH_TEA)
    assert (TEA in others) is ("users" in path)
    assert TEA in upstream.last.system


@FOR
async def test_with_record_off_nothing_is_even_logged(
    own_proxy: RunningProxy, pupil: Pupil, user: User, other_user: User, path: str
) -> None:
    pupil.lessons.append(Lesson(CAT))

    await change(own_proxy, path, user, record=False)
    await own_proxy.say(user, CAT)
    await own_proxy.say(other_user, CAT)

    assert await own_proxy.logged(user) == []
    assert bool(await own_proxy.logged(other_user)) is ("users" in path)
    await change(own_proxy, path, user, record=None)
    await own_proxy.say(user, CAT)
    assert await own_proxy.statements(user) == [CAT]


async def test_what_is_said_while_formation_is_off_for_everybody_is_formed_once_it_is_on(
    own_proxy: RunningProxy, pupil: Pupil, user: User, other_user: User
) -> None:
    pupil.lessons.append(Lesson(CAT))
    await change(own_proxy, "/settings", user, formation="off")
    await change(own_proxy, "/users/{user}/settings", other_user, formation="off")
    for each in (user, other_user):
        await own_proxy.say(each, CAT)
        await own_proxy.formed(each)
        assert await own_proxy.statements(each) == []

    await change(own_proxy, "/settings", user, formation="extract")
    await change(own_proxy, "/users/{user}/settings", other_user, formation="extract")
    await own_proxy.say(other_user, "Good morning!", chat="another")

    async def is_formed() -> bool:
        return await own_proxy.statements(user) == [CAT]

    await until(is_formed)  # the setting sets it in motion
    assert await own_proxy.statements(other_user) == []


async def test_with_formation_off_for_somebody_it_is_logged_and_nothing_is_formed_of_it_then_or_later(
    own_proxy: RunningProxy, pupil: Pupil, user: User
) -> None:
    path = "/users/{user}/settings"
    await change(own_proxy, path, user, formation="off")
    await own_proxy.say(user, CAT)

    assert await own_proxy.logged(user) == [("user", CAT), ("assistant", "All right.")]
    await own_proxy.formed(user)
    await change(own_proxy, path, user, formation="extract")
    await own_proxy.say(user, "Good morning!", chat="another")
    await own_proxy.formed(user)
    assert [each.content for each in (await own_proxy.engine.page(user.known_as, limit=9)).memories] == []
    assert [request for request in pupil.asked if "Minka" in request.body.decode()] == []


@FOR
async def test_with_formation_and_recall_off_what_is_said_is_logged_and_not_even_indexed(
    own_proxy: RunningProxy, user: User, path: str
) -> None:
    await change(own_proxy, path, user, formation="off", recall=False)
    await own_proxy.say(user, CAT)
    await own_proxy.formed(user)

    assert await own_proxy.logged(user) == [("user", CAT), ("assistant", "All right.")]
    assert len(await own_proxy.engine._backends.index.unindexed(user.known_as, limit=9)) == 2


async def test_who_asked_not_to_be_recorded_is_not_whatever_is_set_for_everybody(
    own_proxy: RunningProxy, user: User, other_user: User
) -> None:
    await change(own_proxy, "/users/{user}/settings", user, record=False)
    await change(own_proxy, "/settings", user, record=True, formation="qa_turn")
    for each in (user, other_user):
        await own_proxy.say(each, CAT)

    assert await own_proxy.logged(user) == []
    assert await own_proxy.logged(other_user) != []


@FOR
async def test_with_both_a_turn_is_understood_and_kept_as_it_is(
    own_proxy: RunningProxy, pupil: Pupil, user: User, path: str
) -> None:
    pupil.lessons.append(Lesson(CAT))

    await change(own_proxy, path, user, formation="both")
    await own_proxy.say(user, CAT)
    await own_proxy.formed(user)

    kept = {memory.kind: memory.content for memory in await own_proxy.memories(user)}
    assert kept == {"fact": CAT, "qa_turn": f"Q: {CAT}\nA: All right."}


async def test_with_qa_turn_no_model_is_asked(own_proxy: RunningProxy, pupil: Pupil, user: User) -> None:
    await change(own_proxy, "/users/{user}/settings", user, formation="qa_turn")
    await own_proxy.say(user, "My canoe is called Heron.")

    [memory] = await own_proxy.memories(user)

    assert memory.kind == "qa_turn"
    assert [request for request in pupil.asked if "Heron" in request.body.decode()] == []


@FOR
async def test_what_is_recalled_goes_where_it_is_told_to_go(
    own_proxy: RunningProxy, upstream: ScriptedUpstream, user: User, path: str
) -> None:
    await given_memory(own_proxy, user)

    await change(own_proxy, path, user, placement="user")
    beside = await Frontend(own_proxy, upstream, user, chat="beside").says(WHICH_TEA)
    await change(own_proxy, path, user, placement="off")
    nowhere = await Frontend(own_proxy, upstream, user, chat="nowhere").says(WHICH_TEA)
    await change(own_proxy, path, user, placement="system")
    above = await Frontend(own_proxy, upstream, user, chat="above").says(WHICH_TEA)

    assert TEA in beside.messages[-1]["content"]
    assert beside.system == ""
    assert TEA not in nowhere.text
    assert TEA in above.system


async def test_a_users_own_word_counts_over_everybodys(
    own_proxy: RunningProxy, upstream: ScriptedUpstream, user: User, other_user: User
) -> None:
    for each in (user, other_user):
        await given_memory(own_proxy, each)

    await change(own_proxy, "/settings", user, recall=False)
    await change(own_proxy, "/users/{user}/settings", user, recall=True)

    await own_proxy.say(user, WHICH_TEA)
    assert TEA in upstream.last.system
    await own_proxy.say(other_user, WHICH_TEA)
    assert TEA not in upstream.last.system


async def test_what_matters_less_than_a_user_wants_is_not_kept(
    own_proxy: RunningProxy, pupil: Pupil, user: User
) -> None:
    pupil.lessons.append(Lesson(CAT, importance=0.7))
    await change(own_proxy, "/users/{user}/settings", user, minimum_importance=0.8)
    rejects = own_proxy.engine.counts.rejects
    before = rejects["low_importance"]

    await own_proxy.say(user, CAT)

    assert await own_proxy.statements(user) == []
    assert rejects["low_importance"] == before + 1
