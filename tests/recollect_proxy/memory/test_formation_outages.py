"""The model of the background is broken, or spent its budget: chats never notice, and nothing is lost."""

from datetime import timedelta
from typing import Any

import pytest
from tests.recollect_proxy.own_proxies import OwnProxies
from tests.scripted.extraction import Lesson, Pupil
from tests.scripted.upstream import ScriptedUpstream, failure
from tests.servers.running_proxy import RunningProxy, User, somebody
from tests.support.waiting import until

from recollect.formation.call_guard import FAILURES

CAT = "I have a cat called Minka."


async def exchanges(proxy: RunningProxy, user: User) -> list[tuple[Any, ...]]:
    """Return state, attempts, reason to wait and error of the user's exchanges, oldest first."""
    rows = await proxy.rows(
        "SELECT state, attempts, waits_for, error FROM recollect.exchanges WHERE user_id = $1 ORDER BY id",
        user.known_as,
    )
    return [tuple(row) for row in rows]


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
    """Return whether the user's exchange waits for the model, without a counted attempt."""
    found = await exchanges(proxy, user)
    return [each[:3] for each in found] == [("pending", 0, "outage")]
