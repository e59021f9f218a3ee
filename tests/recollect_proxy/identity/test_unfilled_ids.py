"""Frontends that send a template in place of an id, through a served proxy."""

from datetime import UTC, datetime, timedelta

import jwt
from structlog.testing import capture_logs
from tests.recollect_proxy.in_turn import in_turn
from tests.recollect_proxy.own_proxies import OwnProxies
from tests.scripted.upstream import ScriptedUpstream
from tests.servers.running_proxy import CHAT, RunningProxy, User, chat_body

from recollect_proxy.settings.proxy_settings import IdentityMode

SIGNING = "a secret of OpenWebUI's, of thirty-two bytes and more"
TEMPLATES = (
    *(
        "{{LIBRECHAT_USER_ID}}",
        "{{USER_ID}}",
        "${USER_ID}",
        "$USER_ID",
        "%USER_ID%",
        "<user-id>",
        "{user}",
        "undefined",
    ),
    *(
        "null",
        "None",
        "[object Object]",
        "%7B%7BUSER_ID%7D%7D",
        "__USER_ID__",
        "user-undefined",
        "YOUR_USER_ID",
    ),
)


async def test_people_whose_id_nobody_filled_in_share_no_memory(
    own_proxies: OwnProxies, upstream: ScriptedUpstream
) -> None:
    body = chat_body("I am allergic to nuts.")
    modes = (IdentityMode.OPENWEBUI_JWT, IdentityMode.HEADER)
    with capture_logs() as lines:
        async with own_proxies.serve(
            identity=modes, openwebui_jwt_secret=SIGNING, user_header="x-user"
        ) as proxy:
            for template in TEMPLATES:
                now = datetime.now(UTC)
                told = {"sub": template, "iss": "open-webui", "iat": now, "exp": now + timedelta(minutes=5)}
                token = jwt.encode(told, SIGNING, algorithm="HS256").encode()
                for header in ((b"X-User", template.encode()), (b"X-OpenWebUI-User-Jwt", token)):
                    answer = await proxy.fetch(b"POST", CHAT, [header], body)

                    assert answer.json["choices"][0]["message"]["content"] == "All right."
                    assert answer.header(b"x-recollect-skipped") == b"bad-identity", header
                    assert upstream.last.body == body
            assert await proxy.rows("SELECT DISTINCT user_id FROM recollect.messages") == []

    assert [line["event"] for line in lines].count("user_id_rejected") == 1
    assert not any(template in str(lines) for template in TEMPLATES if len(template) > len("undefined"))


@in_turn("template", ["{{CHAT_ID}}", "null", "$CONVERSATION"])
async def test_chats_whose_id_nobody_filled_in_are_told_apart_as_without_one(
    proxy: RunningProxy, user: User, template: str
) -> None:
    for said in ("I live in Ghent.", "I am allergic to nuts."):
        await proxy.say(user, said, chat=template)
        await proxy.say(user, said + " Yes.", chat=template, recollect={"session": template})

    await proxy.settle()
    chats = await proxy.rows("SELECT DISTINCT session_id FROM recollect.messages WHERE user_id = $1", user.id)
    assert len(chats) == 4


@in_turn("sent", [b"Jos\xe9-%d", "Jos\u00e9-%d".encode(), b"Jos%%C3%%A9-%d", b"Jos%%E9-%d"])
async def test_a_name_sent_in_another_encoding_is_the_same_person(
    proxy: RunningProxy, user: User, sent: bytes
) -> None:
    number = int(user.id.removeprefix("user-"), 16)
    named = [(b"X-OpenWebUI-User-Id", sent % number), (b"Content-Type", b"application/json")]

    await proxy.fetch(b"POST", CHAT, named, chat_body("I live in Ghent."))

    await proxy.settle()
    assert await proxy.rows("SELECT FROM recollect.messages WHERE user_id = $1", f"Jos\u00e9-{number}")
