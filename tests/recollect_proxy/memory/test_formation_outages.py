"""The model of the background is broken, or spent its budget; the embedder is away: chats never notice, nothing is lost."""

import json
from collections.abc import AsyncIterator, Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from structlog.testing import capture_logs
from tests.recollect_proxy.frontends import Frontend
from tests.recollect_proxy.own_proxies import OwnProxies
from tests.running_proxy import RunningProxy, User, somebody
from tests.scripted_embeddings import embedded
from tests.scripted_extraction import Lesson, Pupil
from tests.scripted_upstream import ScriptedUpstream, completion, failure
from tests.waiting import until

from recollect.formation.call_guard import FAILURES
from recollect.indexing import index_run

CAT = "I have a cat called Minka."
DOG = "I have a dog called Rex."


async def exchanges(proxy: RunningProxy, user: User) -> list[tuple[Any, ...]]:
    """Return state, attempts, what is waited for and the error of what the user said, oldest first."""
    rows = await proxy.rows(
        "SELECT state, attempts, waits_for, error FROM recollect.exchanges WHERE user_id = $1 ORDER BY id",
        user.known_as,
    )
    return [tuple(row) for row in rows]


# -- budget ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("budget", ["user_tokens_per_day", "tokens_per_day"])
async def test_what_is_said_once_the_budget_is_spent_waits_for_the_next_day(
    own_proxies: OwnProxies, upstream: ScriptedUpstream, pupil: Pupil, user: User, budget: str
) -> None:
    pupil.lessons += [Lesson(CAT), Lesson(DOG)]
    async with own_proxies.serve(**{budget: 1}) as proxy:
        await proxy.say(user, CAT, chat="first")
        await proxy.formed(user)
        answer = await proxy.say(user, DOG, chat="second")
        await proxy.formed(user)
        kept = [memory.content for memory in await proxy.memories(user)]
        told = await exchanges(proxy, user)
        health = (await proxy.api(b"GET", "/health")).json
        usage = (await proxy.api(b"GET", f"/users/{user.known_as}/usage")).json
        of_another = (await proxy.api(b"GET", "/users/somebody/usage")).json
        await proxy.say(user, "What is my dog called?", chat="third")

    assert answer.status == 200
    assert kept == [CAT]
    assert [each[:3] for each in told] == [("formed", 0, None), ("pending", 0, "budget")]
    assert (health["status"], health["formation"]["waiting"]) == ("ok", {"budget": 1})
    assert not pupil.extractions(DOG)
    assert health["model"]["tokens_today"] >= 1
    assert health["model"][budget] == 1
    limit = 1 if budget == "user_tokens_per_day" else None
    assert usage == {"day": f"{datetime.now(UTC):%Y-%m-%d}", "tokens": usage["tokens"], "limit": limit}
    assert usage["tokens"] >= 1
    assert (of_another["tokens"], of_another["limit"]) == (0, limit)
    assert "Rex" in upstream.last.system


async def test_one_users_spent_budget_is_not_anothers(
    own_proxies: OwnProxies, upstream: ScriptedUpstream, pupil: Pupil, user: User, other_user: User
) -> None:
    pupil.lessons += [Lesson(CAT), Lesson(DOG)]
    async with own_proxies.serve(user_tokens_per_day=1) as proxy:
        assert upstream.base_url == proxy.settings.upstream
        for text in (CAT, DOG):
            await proxy.say(user, text, chat=text)
            await proxy.formed(user)
        await proxy.say(other_user, DOG)

        assert await proxy.statements(user) == [CAT]
        assert await proxy.statements(other_user) == [DOG]


# -- answers that can't be read --------------------------------------------------------------------


@pytest.mark.usefixtures("pupil")
@pytest.mark.parametrize("written", [json.dumps, repr])
async def test_what_is_whole_of_an_answer_that_is_cut_twice_is_kept_once_and_the_rest_is_found_later(
    own_proxies: OwnProxies, extraction: ScriptedUpstream, user: User, written: Callable[[Any], str]
) -> None:
    memories = [{"evidence": each, "content": each, "kind": "fact"} for each in (CAT, DOG)]
    whole = written({"memories": memories})
    extraction.otherwise = lambda _request: completion(whole[: whole.index(DOG)])
    async with own_proxies.serve() as proxy:
        await proxy.say(user, f"{CAT} {DOG}")
        first = await proxy.statements(user)
        health = (await proxy.api(b"GET", "/health")).json["formation"]["waiting"]
        extraction.otherwise = lambda _request: completion(whole)
        await proxy.engine.wake_waiting()
        unchanged = await proxy.statements(user)
        await proxy.rows(
            "UPDATE recollect.exchanges SET wakes_at = now() WHERE user_id = $1 RETURNING id", user.known_as
        )
        await proxy.say(user, "Hm.", chat="another")
        later = await proxy.statements(user)
        left = (await proxy.api(b"GET", "/health")).json["formation"]["waiting"]

    assert (first, health, unchanged) == ([CAT], {"unreadable": 1}, [CAT])
    assert (later, left) == ([CAT, DOG], {})


async def test_a_model_whose_answers_can_not_be_read_is_warned_of_once_without_a_word_of_anybody(
    own_proxies: OwnProxies, pupil: Pupil, user: User
) -> None:
    pupil.extracts = lambda _request: "I can't do that, Minka."  # type: ignore[assignment, return-value]
    async with own_proxies.serve() as proxy:
        with capture_logs() as lines:
            for text in (CAT, DOG):
                await proxy.say(user, text, chat=text)
                await proxy.formed(user)
        told = await exchanges(proxy, user)

    warnings = [line for line in lines if line["event"] == "model_answers_unreadable"]
    assert [waits_for for _, _, waits_for, _ in told] == ["unreadable", "unreadable"]
    assert [line["log_level"] for line in warnings] == ["warning"]
    assert "RECOLLECT_EXTRACTION_MODEL" in warnings[0]["what_to_do"]
    assert "Minka" not in str(warnings)


# -- breaker ---------------------------------------------------------------------------------------


async def test_a_model_that_fails_again_and_again_is_left_alone_and_nothing_is_lost_meanwhile(
    own_proxies: OwnProxies,
    extraction: ScriptedUpstream,
    upstream: ScriptedUpstream,
    pupil: Pupil,
    user: User,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pupil.lessons.append(Lesson(CAT))
    extraction.otherwise = lambda _request: failure(500)
    others = [somebody() for _ in range(FAILURES)]
    async with own_proxies.serve(formation_workers=1) as proxy:
        breaker = proxy.engine._own_worker._guard.breaker
        monkeypatch.setattr(breaker, "_pause", timedelta(seconds=3))
        await proxy.api(b"GET", "/health")  # which is asked below, and is built when it is first asked for
        for other in others:
            await proxy.say(other, CAT)
        await until(lambda: breaker.opened > 0)
        extraction.otherwise = pupil

        answer = await proxy.say(user, CAT)
        health = (await proxy.api(b"GET", "/health")).json
        await until(lambda: _waits(proxy, user))

        assert answer.status == 200
        assert upstream.last.json["messages"][-1]["content"] == CAT
        assert health["status"] == "degraded"
        assert health["model"]["breaker"] == "open"
        for each in (user, *others):
            assert await proxy.statements(each) == [CAT]
            assert {(state, waits) for state, _, waits, _ in await exchanges(proxy, each)} == {
                ("formed", None)
            }
        assert (await proxy.api(b"GET", "/health")).json["model"]["breaker"] == "closed"


async def _waits(proxy: RunningProxy, user: User) -> bool:
    """Tell whether what the user said waits for the model, without an attempt that counts."""
    found = await exchanges(proxy, user)
    return [each[:3] for each in found] == [("pending", 0, "outage")]


# -- embedder --------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
async def module_embedder() -> AsyncIterator[ScriptedUpstream]:
    async with ScriptedUpstream() as server:
        yield server


@pytest.fixture
def embedder(module_embedder: ScriptedUpstream) -> ScriptedUpstream:
    """An embedder that is away, until told otherwise."""
    module_embedder.otherwise = lambda _request: failure(400)
    return module_embedder


@pytest.fixture(scope="module")
async def remote(own_proxies: OwnProxies, module_embedder: ScriptedUpstream) -> AsyncIterator[RunningProxy]:
    """A proxy that asks ``embedder``."""
    own = {
        "embedder": "openai:test",
        "embedder_base_url": module_embedder.base_url,
        "embedder_cache_size": 0,  # it knows nothing from another test
        "recall_gate_threshold": 0,  # how sure words alone can be is asked elsewhere
    }
    async with own_proxies.serve(**own) as proxy:
        yield proxy


async def test_what_is_formed_while_the_embedder_is_away_is_found_by_its_words_and_embedded_later(
    remote: RunningProxy,
    embedder: ScriptedUpstream,
    upstream: ScriptedUpstream,
    pupil: Pupil,
    user: User,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(index_run, "_EMBEDDER_DELAY", timedelta(seconds=1))
    pupil.lessons.append(Lesson(CAT))
    await remote.say(user, CAT, chat="told")
    assert await remote.statements(user) == [CAT]
    [memory] = await remote.memories(user)
    assert memory.embedding_model is None
    by_words = await Frontend(remote, upstream, user, chat="meanwhile").says("Tell me about my cat Minka.")
    assert CAT in by_words.system

    embedder.otherwise = embedded

    async def is_embedded() -> bool:
        [memory] = await remote.memories(user)
        return memory.embedding_model == "openai:test"

    await until(is_embedded)
    assert await remote.statements(user) == [CAT]


async def test_what_is_written_by_hand_while_the_embedder_is_away_is_embedded_later(
    remote: RunningProxy, embedder: ScriptedUpstream, user: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(index_run, "_EMBEDDER_DELAY", timedelta(seconds=1))
    path = f"/users/{user.known_as}/memories"
    written = await remote.api(b"POST", path, {"content": CAT})
    revised = await remote.api(b"PATCH", f"{path}/{written.json['id']}", {"content": DOG})
    models = [memory.embedding_model for memory in await remote.memories(user)]

    embedder.otherwise = embedded

    async def is_embedded() -> bool:
        [memory] = await remote.memories(user)
        return memory.embedding_model == "openai:test"

    await until(is_embedded)
    [memory] = await remote.memories(user)

    assert (written.status, revised.status, models) == (201, 200, [None])
    assert memory.content == DOG
