"""Who speaks, through a served proxy with several modes: each user's memory is theirs alone, and nobody's who has no id."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from urllib.parse import quote

import jwt
import pytest
from structlog.testing import capture_logs
from tests.recollect_proxy.given import WHICH_TEA, given_memory
from tests.recollect_proxy.in_turn import in_turn
from tests.recollect_proxy.own_proxies import OwnProxies
from tests.scripted.upstream import ScriptedUpstream
from tests.servers.running_proxy import CHAT, RunningProxy, User, chat_body
from tests.support.raw_client import Fields, Response

from recollect_proxy.identity.api_key import hash_of
from recollect_proxy.settings.proxy_settings import IdentityMode

SIGNING = "a secret of OpenWebUI's, of thirty-two bytes and more"
SHARED = "a secret of a trusted frontend, of thirty-two bytes and more"
KEY_OF_BERTA = "sk-key-of-berta-0123456789"
KEYS = {"recollect-key-of-anna-0123456789": "anna", KEY_OF_BERTA: "berta"}


@pytest.fixture(scope="module")
async def guarded(
    own_proxies: OwnProxies, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[RunningProxy]:
    """A proxy that believes OpenWebUI's signature, a key, or a header beside a secret, in this order."""
    keys = Path(tmp_path_factory.mktemp("keys")) / "keys"
    keys.write_text("".join(f"{hash_of(key.encode())} {user}\n" for key, user in KEYS.items()))
    async with own_proxies.serve(
        identity=(IdentityMode.OPENWEBUI_JWT, IdentityMode.API_KEY, IdentityMode.HEADER),
        openwebui_jwt_secret=SIGNING,
        api_keys=keys,
        shared_secret=SHARED,
        user_header="x-user",
    ) as proxy:
        yield proxy


def signed(user_id: str, *, secret: str = SIGNING, **claims: Any) -> tuple[bytes, bytes]:
    now = datetime.now(UTC)
    told = {"sub": user_id, "iss": "open-webui", "iat": now, "exp": now + timedelta(minutes=5)} | claims
    return b"X-OpenWebUI-User-Jwt", jwt.encode(told, secret, algorithm="HS256").encode()


def keyed(key: str) -> tuple[bytes, bytes]:
    return b"Authorization", b"Bearer " + key.encode()


def named(user_id: str, *, secret: str = SHARED) -> list[tuple[bytes, bytes]]:
    return [(b"X-User", quote(user_id).encode()), (b"X-Recollect-Secret", secret.encode())]


async def ask(proxy: RunningProxy, headers: Fields, said: str = WHICH_TEA) -> Response:
    return await proxy.fetch(b"POST", CHAT, headers, chat_body(said))


async def test_each_mode_reaches_its_own_users_memory_and_no_others(
    guarded: RunningProxy, upstream: ScriptedUpstream
) -> None:
    favourites = {"carla": "Assam", "anna": "Sencha", "berta": "Rooibos", "dora": "Darjeeling"}
    for user_id, tea in favourites.items():
        await given_memory(guarded, User(user_id), f"My favourite tea is {tea}.")
    headers: dict[str, Fields] = {
        "carla": [signed("carla")],
        "anna": [keyed("recollect-key-of-anna-0123456789")],
        "berta": [(b"X-Api-Key", b"sk-key-of-berta-0123456789")],
        "dora": named("dora"),
    }

    for user_id, of_user in headers.items():
        answer = await ask(guarded, of_user)

        assert answer.header(b"x-recollect-memories") == b"1"
        told = [tea for tea in favourites.values() if tea in upstream.last.system]
        assert told == [favourites[user_id]]


BAD: dict[str, Any] = {
    "signed by another": lambda user: [signed(user, secret=SIGNING[::-1])],
    "a bad token beside a good key": lambda user: [signed(user, secret=SIGNING[::-1]), keyed(KEY_OF_BERTA)],
    "no secret": lambda user: named(user)[:1],
    "the commons": lambda _user: named("*"),
}


@in_turn("headers", BAD.values())
async def test_a_bad_identity_is_answered_without_memory_and_counted(
    guarded: RunningProxy, upstream: ScriptedUpstream, user: User, headers: Any
) -> None:
    await given_memory(guarded, user)
    before = (await guarded.api(b"GET", "/health")).json["skipped"]

    answer = await ask(guarded, headers(user.id))

    assert answer.status == 200
    assert answer.json["choices"][0]["message"]["content"] == "All right."
    assert answer.header(b"x-recollect-memories") == b"0"
    assert answer.header(b"x-recollect-skipped") == b"bad-identity"
    assert upstream.last.body == chat_body(WHICH_TEA)
    after = (await guarded.api(b"GET", "/health")).json["skipped"]
    assert after["bad-identity"] == before.get("bad-identity", 0) + 1
    assert after.keys() - before.keys() <= {"bad-identity"}


IDS = [
    "\u00e4\u00f6\u00fc",
    "\U0001f600 \u65e5\u672c\u8a9e",
    "x" * 256,
    "\u65e5" * 256,
    "'; DROP TABLE recollect.messages; --",
    '" OR 1=1',
    "%' OR '%'='",
    "../../memory/users/anna",
    "a/b/c",
    "%2e%2e%2f",
    "100%",
    "a?b=c#d",
    "a\\b",
    "anna@example.org",
    "Anna",
    "ANNA",
    "\u0410nna",  # begins with a Cyrillic letter
    "e\u0301",
    "\u00e9",
    "a\tb\x01",
    "-1",
    "nullable",
]


async def test_every_id_reaches_exactly_its_own_memory(
    proxy: RunningProxy, upstream: ScriptedUpstream
) -> None:
    users = [User(quote(user_id, safe="")) for user_id in IDS]
    for number, user in enumerate(users):
        await given_memory(proxy, user, f"My favourite tea is number {number}00.")

    for number, user in enumerate(users):
        answer = await proxy.say(user, WHICH_TEA, extra=[(b"X-Recollect-Remember", b"off")])

        assert answer.header(b"x-recollect-memories") == b"1", user.known_as
        assert f"number {number}00." in upstream.last.system
        [memory] = await proxy.memories(user)
        assert memory.owner == user.known_as


TEMPLATES = ("{{LIBRECHAT_USER_ID}}", "$USER_ID", "undefined", "%7B%7BUSER_ID%7D%7D")


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
