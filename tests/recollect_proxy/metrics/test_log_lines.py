"""At the default level a chat without a fault leaves no line; the level debug has one a recall, one a formation and one an exchange."""

from structlog.testing import capture_logs
from tests.servers.running_proxy import RunningProxy, User

CAT = "My cat is called Minka."


async def test_a_chat_is_logged_at_the_level_debug_alone(proxy: RunningProxy, user: User) -> None:
    with capture_logs() as logs:
        await proxy.say(user, CAT)
        await proxy.say(user, "What is my cat called?")
        await proxy.settle()
        await proxy.formed(user)

    told = [line for line in logs if line.get("user_id") == user.id]
    assert {line["log_level"] for line in told if "degraded" not in line} == {"debug"}
    recalled = [line for line in told if line["event"] == "recalled"]
    formed = [line for line in told if line["event"] == "formed"]
    assert len(recalled) == 2
    assert sum(line["exchanges"] for line in formed) == 2
    decided = [line for line in told if line["event"] == "memories_decided"]
    assert len(decided) == 2
    for line in recalled:
        assert set(line) - {"degraded"} == {
            *("event", "log_level", "user_id", "session_id", "given", "skipped", "milliseconds")
        }
    assert CAT not in str(logs)
