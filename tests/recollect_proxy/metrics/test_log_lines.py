"""At the default level the log has one line a recall, one a formation and one for what each exchange led to, for a person to read, and nothing that looks like trouble."""

from structlog.testing import capture_logs
from tests.running_proxy import RunningProxy, User

CAT = "My cat is called Minka."


async def test_a_chat_leaves_a_line_a_recall_and_a_line_a_formation(proxy: RunningProxy, user: User) -> None:
    with capture_logs() as logs:
        await proxy.say(user, CAT)
        await proxy.say(user, "What is my cat called?")
        await proxy.settle()
        await proxy.formed(user)

    told = [line for line in logs if line["log_level"] != "debug" and line.get("user_id") == user.id]
    recalled = [line for line in told if line["event"] == "recalled"]
    formed = [line for line in told if line["event"] == "formed"]
    assert len(recalled) == 2
    assert sum(line["exchanges"] for line in formed) == 2
    decided = [line for line in told if line["event"] == "memory_decision"]
    assert len(decided) == 2
    assert len(told) == len(recalled) + len(formed) + len(decided), told
    for line in recalled:
        assert set(line) - {"degraded"} == {
            *("event", "log_level", "user_id", "session_id", "given", "skipped", "milliseconds")
        }
        assert (line["user_id"], line["log_level"]) == (user.id, "info")
    assert CAT not in str(logs)
