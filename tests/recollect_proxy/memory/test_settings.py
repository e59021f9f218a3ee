"""The days of a message are those of its person's time zone."""

import re
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest
from tests.scripted.extraction import Pupil, messages_shown, statement
from tests.scripted.upstream import ScriptedUpstream
from tests.servers.running_proxy import RunningProxy, User
from tests.support.received import Received

_SHOWN = re.compile(r"^Message \d+, \w+ (\d{4}-\d\d-\d\d) ", re.MULTILINE)
DENTIST = "I have the dentist tomorrow."
WHEN = "When is my appointment with the dentist?"


def elsewhere() -> str:
    """Return an offset at which it is another day now than in UTC."""
    return "+14:00" if datetime.now(UTC).hour >= 10 else "-12:00"


def tomorrow_at(offset: str) -> date:
    """Return the day after today's at an offset of whole hours."""
    return (datetime.now(UTC) + timedelta(hours=int(offset.partition(":")[0]))).date() + timedelta(days=1)


def by_the_day_shown(request: Received) -> list[dict[str, Any]]:
    """Extract as a model does: "tomorrow" is the day after the one that the message is dated."""
    content: str = request.json["messages"][-1]["content"]
    today = date.fromisoformat(_SHOWN.findall(content)[-1])
    return [
        statement(
            words,
            "Has an appointment with the dentist",
            kind="todo",
            event_date=f"{today + timedelta(days=1)}",
        )
        for words in messages_shown(request)
        if words == DENTIST
    ]


@pytest.fixture
def reckoning(pupil: Pupil) -> Pupil:
    """A model that reckons with the date it is shown."""
    pupil.extracts = by_the_day_shown
    return pupil


async def is_told_the_day(
    proxy: RunningProxy, upstream: ScriptedUpstream, user: User, zone: str, **how: Any
) -> None:
    """Say a statement with "tomorrow", ask in another chat, and check the day in the prompt."""
    day = tomorrow_at(zone)
    await proxy.say(user, DENTIST, **how)
    [memory] = await proxy.memories(user)
    await proxy.say(
        user, WHEN, chat="chat-2", extra=[*how.get("extra", ()), (b"X-Recollect-Remember", b"off")]
    )

    if day == tomorrow_at(zone):  # no midnight has passed
        assert memory.event_at is not None
        assert memory.event_at.astimezone(UTC).date() == day
        assert f"Has an appointment with the dentist (due {day})" in upstream.last.system


@pytest.mark.usefixtures("reckoning")
async def test_tomorrow_is_the_persons_by_the_header(
    proxy: RunningProxy, upstream: ScriptedUpstream, user: User
) -> None:
    zone = elsewhere()
    await is_told_the_day(proxy, upstream, user, zone, extra=[(b"X-Recollect-Timezone", zone.encode())])


@pytest.mark.usefixtures("reckoning")
async def test_the_zone_of_an_earlier_chat_counts_where_a_request_tells_none(
    proxy: RunningProxy, upstream: ScriptedUpstream, user: User
) -> None:
    zone = elsewhere()
    await proxy.say(
        user, "Hello there, how are you?", chat="chat-0", extra=[(b"X-Recollect-Timezone", zone.encode())]
    )
    await proxy.settle()

    await is_told_the_day(proxy, upstream, user, zone)

    told = (await proxy.api(b"GET", f"/users/{user.id}/settings")).json
    assert told["own"]["time_zone"] is None
    assert "told_zone" not in told["own"]
