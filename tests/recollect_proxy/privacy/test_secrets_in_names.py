"""A secret in a chat's id or a model's name goes to the upstream alone: to no row, no log, no list."""

from urllib.parse import quote

from structlog.testing import capture_logs
from tests.scripted.upstream import ScriptedUpstream
from tests.servers.running_proxy import RunningProxy, User
from tests.support.made_up_keys import URL_SAFE, made_up


async def test_a_key_in_a_chats_id_or_a_models_name_is_kept_nowhere(
    proxy: RunningProxy, upstream: ScriptedUpstream, user: User
) -> None:
    key = f"sk-proj-{made_up(48, URL_SAFE)}"
    with capture_logs() as lines:
        await proxy.say(user, "I live in Ghent.", chat=f"chat-{key}", model=f"gpt-4o?key={key}")
        await proxy.say(user, "I have a cat called Minka.", chat=f"chat-{key}.")
        await proxy.memories(user, at_least=2)
        assert upstream.received[0].json["model"] == f"gpt-4o?key={key}"

    listed = (await proxy.api(b"GET", f"/users/{user.id}/sessions")).json["sessions"]
    assert len(set(listed)) == 2
    tables = [
        row["name"]
        for row in await proxy.rows("SELECT tablename AS name FROM pg_tables WHERE schemaname = 'recollect'")
    ]
    for table in tables:
        assert not await proxy.rows(f"SELECT FROM recollect.{table} AS t WHERE t::text LIKE '%{key}%'"), table
    assert key not in f"{lines}{listed}"

    path = f"/users/{user.id}/sessions/{quote(f'chat-{key}', safe='')}"
    assert (await proxy.api(b"DELETE", path)).status == 200
    assert len((await proxy.api(b"GET", f"/users/{user.id}/sessions")).json["sessions"]) == 1
