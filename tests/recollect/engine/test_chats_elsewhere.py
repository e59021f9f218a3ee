"""A worker of its own sees in the log whether chats run, and says when that lasts."""

from datetime import timedelta

from structlog.testing import capture_logs
from tests.support.stores import NOON, Store

from recollect.engine.background.chats_elsewhere import ChatsElsewhere
from recollect.engine.recording.exchanges import begun
from recollect.models.yielding import Yielding

ANNA = "anna"


async def test_formation_waits_while_an_answer_is_under_way_and_a_long_wait_is_logged(
    own_store: Store,
) -> None:
    now = NOON
    yielding = Yielding(yields=True, idle=0)
    watch = ChatsElsewhere(own_store.inbox, yielding, lambda: now)
    exchange = own_store.exchange("I moved to Oslo")
    await own_store.log.write_phase(begun(exchange))

    with capture_logs() as lines:
        for minutes in (0, 1, 2, 3, 4, 5):
            now = NOON + timedelta(minutes=minutes)
            await watch.look()
            assert yielding.wait(ANNA), "its proxy may have been killed, or its answer takes long"
    waits = [line for line in lines if line["event"] == "formation_paused_for_chats"]
    assert [(line["log_level"], line["running"], line["seconds"]) for line in waits] == [
        ("info", 1, 120),
        ("info", 1, 240),
    ]

    now = NOON + timedelta(minutes=11)
    await watch.look()
    assert not yielding.wait(ANNA), "no answer takes longer than ten minutes"


async def test_a_short_wait_is_not_logged(own_store: Store) -> None:
    now = NOON
    watch = ChatsElsewhere(own_store.inbox, Yielding(yields=True, idle=0), lambda: now)

    with capture_logs() as lines:
        for number in range(5):
            now = NOON + timedelta(minutes=number)
            exchange = own_store.exchange(f"I moved {number} times")
            await own_store.log.write_phase(begun(exchange))
            await watch.look()
            await own_store.log.append(exchange)
            await watch.look()

    assert [line for line in lines if line["event"] == "formation_paused_for_chats"] == []
