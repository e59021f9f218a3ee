"""What must stay between the user and us: identities, credentials, words."""

import asyncio
import json
import socket
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from urllib.parse import quote

import pytest
from structlog.testing import capture_logs
from tests.recollect_proxy.in_turn import in_turn
from tests.recollect_proxy.own_proxies import serves
from tests.scripted.upstream import Answer, Received, ScriptedUpstream, completion, failure
from tests.servers.running_proxy import (
    CHAT,
    KEY,
    RunningProxy,
    User,
    chat_body,
    extract_statements,
    is_extraction,
)
from tests.servers.served_process import environment, served_process
from tests.support.made_up_keys import URL_SAFE, made_up
from tests.support.waiting import until

CAT = "I have a cat called Minka."
FOR_US = [
    *((b"X-OpenWebUI-User-Name", b"Anna"), (b"X-OpenWebUI-User-Email", b"anna@example.org")),
    *((b"X-OpenWebUI-User-Role", b"user"), (b"X-OpenWebUI-Message-Id", b"m1")),
    *((b"X-Recollect-Message", b"m1"), (b"X-Recollect-Parent", b"m0"), (b"X-Recollect-Task", b"")),
    *((b"X-Recollect-Include", b"memories"), (b"X-Recollect-Whatever", b"1")),
]


forwarding = serves(forward_identity=True)
own_model = serves(extraction_base_url=None, extraction_model=None)
"""A proxy whose upstream extracts, too, with the request's own key."""


def names(request: Received) -> set[bytes]:
    return {name.lower() for name, _ in request.headers}


async def test_who_speaks_stays_here(proxy: RunningProxy, upstream: ScriptedUpstream, user: User) -> None:
    await proxy.say(user, CAT, extra=FOR_US)
    heard = upstream.last
    await proxy.fetch(b"POST", b"/v1/embeddings", user.headers(extra=FOR_US), b"{}")
    passed = upstream.last

    for request in (heard, passed):
        assert not [name for name in names(request) if name.startswith((b"x-openwebui", b"x-recollect"))]
        assert request.values(b"authorization") == [KEY]


async def test_who_speaks_is_told_to_the_upstream_when_the_operator_says_so(
    forwarding: RunningProxy, upstream: ScriptedUpstream, user: User
) -> None:
    await forwarding.say(user, CAT, extra=FOR_US)
    heard = upstream.last
    await forwarding.fetch(b"POST", b"/v1/embeddings", user.headers(extra=FOR_US), b"{}")
    passed = upstream.last

    for request in (heard, passed):
        assert request.values(b"x-openwebui-user-id") == [user.id.encode()]
        for name, value in FOR_US:
            assert request.values(name) == [value]


@in_turn("value", [b"Bearer sk-1", b"Basic dXNlcjpwYXNz", b"sk-bare", b"Bearer k\xc3\xa9y"])
async def test_authorization_passes(proxy: RunningProxy, upstream: ScriptedUpstream, value: bytes) -> None:
    await proxy.fetch(b"POST", CHAT, [(b"Authorization", value)], chat_body(CAT))

    assert upstream.last.values(b"authorization") == [value]


async def everything_stored(proxy: RunningProxy) -> str:
    tables = await proxy.rows(
        "SELECT quote_ident(table_schema) || '.' || quote_ident(table_name) AS name "
        "FROM information_schema.tables WHERE table_schema NOT IN ('pg_catalog', 'information_schema')"
    )
    dumped = [await proxy.rows(f"SELECT t::text AS row FROM {table['name']} t") for table in tables]
    return "\n".join(row["row"] for rows in dumped for row in rows)


async def test_a_key_is_never_stored(own_model: RunningProxy, upstream: ScriptedUpstream, user: User) -> None:
    upstream.otherwise = lambda request: (
        extract_statements(request) if is_extraction(request) else completion("Nice.")
    )

    with capture_logs() as logs:
        await own_model.say(user, CAT)
        await own_model.memories(user)
        stored = await everything_stored(own_model)

    [asked] = [request for request in upstream.received if is_extraction(request)]
    assert asked.values(b"authorization") == [KEY]
    assert asked.json["model"] == "scripted"
    assert CAT in stored
    assert_keyless(stored, logs)


async def test_a_credential_that_the_upstream_quotes_is_not_stored_or_logged_either(
    own_model: RunningProxy, upstream: ScriptedUpstream, user: User
) -> None:
    def answer(request: Received) -> Answer:
        refused = failure(401, message=f"Incorrect API key provided: {KEY.decode()}, said {CAT}")
        return refused if is_extraction(request) else completion("Nice.")

    upstream.otherwise = answer

    with capture_logs() as logs:
        await own_model.say(user, CAT)
        await own_model.formed(user)
        stored = await everything_stored(own_model)
        waiting = (await own_model.engine.backlog()).waiting

    assert waiting == {"key": 1}
    assert "CredentialGoneError" in stored
    assert_keyless(stored, logs)


def assert_keyless(stored: str, logs: Sequence[object]) -> None:
    secret = KEY.removeprefix(b"Bearer ")
    for text in (stored, json.dumps(logs, default=repr)):
        assert secret.decode() not in text
        assert secret.hex() not in text
    assert "Minka" not in json.dumps(logs, default=repr)


async def test_no_word_is_logged(proxy: RunningProxy, upstream: ScriptedUpstream, user: User) -> None:
    upstream.answers += [failure(500, message=CAT), completion("Minka!")]
    with capture_logs() as logs:
        await proxy.say(user, CAT)
        await proxy.say(user, CAT)
        await proxy.memories(user)
        await proxy.say(user, "What is my cat called?")
        await proxy.settle()

    assert {line["event"] for line in logs} >= {"memories_decided", "formed", "recalled"}
    assert "Minka" not in json.dumps(logs, default=repr)


SECRETS = {
    "我的信用卡号是4318736022367385，住在根特。": "4318736022367385",
    "Mi tarjeta es 4318_7360_2236_7385 y vivo en Gante.": "7360_2236",
    "رقم بطاقتي ٤٣١٨٧٣٦٠٢٢٣٦٧٣٨٥ وأعيش في غنت": "٤٣١٨٧٣٦٠٢٢٣٦٧٣٨٥",
    "My wallet backup:\nabandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon about\n"
    "I live in Ghent.": "abandon",
}
PASSWORD = "Xk7#pQ2v!mL9"


def spooled(folder: Path) -> list[bytes]:
    return [each.read_bytes() for each in folder.rglob("spool/**/*") if each.is_file()]


async def test_nothing_of_a_secret_is_kept_or_sent_to_a_background_model(
    proxy: RunningProxy, upstream: ScriptedUpstream, extraction: ScriptedUpstream, data_dir: Path, user: User
) -> None:
    extraction.received.clear()
    with capture_logs() as logs:
        for said in SECRETS:
            upstream.answers.append(completion(f"Your new password is:\n\n> **`{PASSWORD}`**\n\nKeep it."))
            await proxy.say(user, said)
        await proxy.formed(user)
    kept = await proxy.api(b"GET", f"/users/{user.id}/export")
    spool = spooled(data_dir)

    assert extraction.received
    assert kept.body.count(b"[secret: ") >= 2 * len(SECRETS)
    for secret in (*SECRETS.values(), PASSWORD):
        raw, escaped = secret.encode(), json.dumps(secret)[1:-1].encode()
        for place in (kept.body, json.dumps(logs, default=repr).encode(), *spool):
            assert raw not in place
            assert escaped not in place
        assert not [each for each in extraction.received if raw in each.body or escaped in each.body]


async def test_no_key_in_an_id_stays(proxy: RunningProxy, upstream: ScriptedUpstream, user: User) -> None:
    key = f"sk-proj-{made_up(48, URL_SAFE)}"
    with capture_logs() as lines:
        await proxy.say(user, "I live in Ghent.", chat=f"chat-{key}", model=f"gpt-4o?key={key}")
        await proxy.say(user, "I have a cat called Minka.", chat=f"chat-{key}.")
        await proxy.memories(user, at_least=2)
        assert upstream.received[0].json["model"] == f"gpt-4o?key={key}"

    listed = (await proxy.api(b"GET", f"/users/{user.id}/sessions")).json["sessions"]
    assert len(set(listed)) == 2
    assert key not in f"{lines}{listed}{await everything_stored(proxy)}"

    path = f"/users/{user.id}/sessions/{quote(f'chat-{key}', safe='')}"
    assert (await proxy.api(b"DELETE", path)).status == 200
    assert len((await proxy.api(b"GET", f"/users/{user.id}/sessions")).json["sessions"]) == 1


DATABASE_SECRET = "hush-4711"


@asynccontextmanager
async def refusing() -> AsyncIterator[int]:
    """Serve what refuses everybody's password, and quotes it; yield the port."""

    async def refuse(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(1000)
        fields = f"SFATAL\0C28P01\0Mnot the password {DATABASE_SECRET}\0\0".encode()
        writer.write(b"E" + (len(fields) + 4).to_bytes(4, "big") + fields)
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(refuse, "127.0.0.1", 0)
    async with server:
        yield server.sockets[0].getsockname()[1]


def given(folder: Path, address: str) -> dict[str, str]:
    url = f"postgresql://anna:{DATABASE_SECRET}@{address}/memories?sslmode=disable"
    return environment(upstream="http://127.0.0.1:9/v1", data_dir=str(folder), database_url=url)


@pytest.mark.process
async def test_while_it_is_away_each_line_says_why_and_none_has_the_password(tmp_path: Path) -> None:
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))
        environ = given(tmp_path, f"127.0.0.1:{nobody.getsockname()[1]}")
        async with served_process("--log-level", "debug", environ=environ) as served:
            await until(lambda: "store_open_failed" in "".join(served.logged))
        said = "".join([*served.output, *served.logged])

    assert "nothing listens at its address" in said
    assert DATABASE_SECRET not in said


@pytest.mark.process
async def test_a_start_that_ends_says_why_without_the_password(tmp_path: Path) -> None:
    async with refusing() as port:
        environ = given(tmp_path, f"127.0.0.1:{port}")
        with pytest.raises(AssertionError) as raised:  # there is no banner
            async with served_process("--log-level", "debug", environ=environ):
                pass

    said = str(raised.value)
    assert "The database can't be opened" in said
    assert DATABASE_SECRET not in said
