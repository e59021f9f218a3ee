"""A memory is never a planted order or a secret."""

import json
from collections.abc import AsyncIterator

import pytest
from structlog.testing import capture_logs
from tests.recollect_proxy.frontends import Frontend
from tests.recollect_proxy.own_proxies import OwnProxies
from tests.scripted.extraction import Lesson, Pupil
from tests.scripted.upstream import ScriptedUpstream
from tests.servers.running_proxy import RunningProxy, User

# -- secrets ---------------------------------------------------------------------------------------

KEY = "sk-proj-" + "Zq7Rk2Wm9Tx4Lb8Nc3Vf6Hd1Js5Pg0Ya"
CARD = "4111 1111 1111 1111"
PASSWORD = "tulip-Garden-77!"
SECRETS = (KEY, CARD, PASSWORD)
TOLD = (
    f"My key for the weather service is {KEY}.",
    f"I always pay with my card {CARD}.",
    f"The password of my router is {PASSWORD}.",
)
SWIM = "I swim in the lake every morning."
ASKED = (
    "What is my key for the weather service?",
    "Which card do I always pay with?",
    "What is the password of my router?",
    "Where do I swim in the morning?",
)

KEPT_IN = (
    "vectors",
    "users_vectors",
    "memory_updates",
    "quarantine",
    "injections",
    "request_metrics",
)
"""Where memories are, what became of them, and what went into prompts. The messages themselves are in the log, hidden."""


async def everything_kept(proxy: RunningProxy) -> str:
    found = [await proxy.rows(f"SELECT t::text AS row FROM recollect.{table} AS t") for table in KEPT_IN]
    return "\n".join(row["row"] for rows in found for row in rows)


@pytest.fixture(scope="module")
async def talkative(own_proxies: OwnProxies) -> AsyncIterator[RunningProxy]:
    """A proxy that logs the memories' texts."""
    async with own_proxies.serve(log_memory_text=True) as proxy:
        yield proxy


async def test_a_secret_reaches_no_memory_no_audit_no_log_line_and_no_prompt(
    talkative: RunningProxy, upstream: ScriptedUpstream, pupil: Pupil, user: User
) -> None:
    pupil.lessons += [Lesson(each) for each in (*TOLD, *SECRETS, SWIM)]
    await talkative.api(b"PATCH", f"/users/{user.id}/settings", {"formation": "both"})
    with capture_logs() as logs:
        for number, text in enumerate((*TOLD, SWIM)):
            await Frontend(talkative, upstream, user, chat=f"told-{number}").says(text)
        await talkative.formed(user)
        sent = [
            await Frontend(talkative, upstream, user, chat=f"asked-{number}").says(question)
            for number, question in enumerate(ASKED)
        ]
        kept = await everything_kept(talkative)

    assert any(SWIM in memory.content for memory in await talkative.memories(user))
    assert SWIM in kept
    assert SWIM in sent[-1].text
    for secret in SECRETS:
        assert [row for row in kept.splitlines() if secret in row] == []
        assert secret not in json.dumps(logs, default=str)
        assert not any(secret in each.text for each in sent)
