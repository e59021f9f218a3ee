"""Behind deploy/nginx.conf chats stream, WebSockets talk, files pass, and nobody becomes somebody else by a header."""

import asyncio
import os
import shutil
import ssl
import subprocess
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest
from tests.recollect_proxy.wire.talking_upstream import TalkingUpstream
from tests.scripted.upstream import DONE, EVENT_STREAM, ScriptedUpstream, Step, streamed
from tests.servers.certificates import write_certificate
from tests.servers.external_servers import free_port
from tests.servers.full_queue import nobody_accepts
from tests.servers.running_proxy import CHAT, RunningProxy, User, chat_body
from tests.support.raw_client import RawConnection
from tests.support.waiting import until
from websockets.asyncio.client import connect

from recollect_proxy.identity.user_and_chat import SECRET_HEADER
from recollect_proxy.settings.proxy_settings import ProxySettings

FILE = Path(__file__).parents[3] / "deploy" / "nginx.conf"
NGINX = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin")
_LARGE = 20_000_000
_MAIN = """
daemon off;
worker_processes 1;
pid {folder}/pid;
error_log {folder}/errors;
events {{ worker_connections 256; }}
http {{
    access_log {folder}/default;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    include {folder}/recollect.conf;
}}
"""

pytestmark = [
    pytest.mark.process,
    pytest.mark.skipif(NGINX is None, reason="nginx is not installed here (apt-get install nginx)"),
]


@dataclass(frozen=True)
class Nginx:
    """One that serves."""

    port: int
    plain: int
    tls: ssl.SSLContext
    folder: Path

    def client(self) -> httpx.AsyncClient:
        return httpx.AsyncClient(base_url=f"https://127.0.0.1:{self.port}", verify=self.tls, timeout=30)

    @property
    def log(self) -> str:
        return (self.folder / "access").read_text("utf-8")

    @property
    def errors(self) -> str:
        return (self.folder / "errors").read_text("utf-8")

    @property
    def default_log(self) -> str:
        """What a server writes that names no log of its own."""
        return (self.folder / "default").read_text("utf-8")


def configured(folder: Path, *upstreams: int) -> tuple[Nginx, list[str]]:
    """Write what nginx needs to serve the file here, before proxies at these ports; return the command that starts it."""
    certificate = write_certificate(folder / "certificate.pem")
    port, plain = free_port(), free_port()
    text = FILE.read_text("utf-8")
    for there, here in (
        ("server 127.0.0.1:8787;", " ".join(f"server 127.0.0.1:{each};" for each in upstreams)),
        ("listen 443 ssl; #", f"listen 127.0.0.1:{port} ssl; #"),
        ("listen 80;", f"listen 127.0.0.1:{plain};"),
        ("/etc/nginx/tls/recollect.pem", str(certificate)),
        ("/etc/nginx/tls/recollect.key", str(certificate)),
    ):
        assert text.count(there) == 1, there
        text = text.replace(there, here)
    text = text.replace("/var/log/nginx/recollect.log", str(folder / "access"))
    (folder / "recollect.conf").write_text(text, "utf-8")
    (folder / "nginx.conf").write_text(_MAIN.format(folder=folder), "utf-8")
    tls = ssl.create_default_context(cafile=certificate)
    command = [str(NGINX), "-p", str(folder), "-c", str(folder / "nginx.conf"), "-e", str(folder / "errors")]
    return Nginx(port, plain, tls, folder), command


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("nginx")


@asynccontextmanager
async def serving(folder: Path, *upstreams: int) -> AsyncIterator[Nginx]:
    if os.getuid() == 0:  # its workers are another user then, who has to reach the temporary files
        for each in (folder, *folder.parents[:2]):
            each.chmod(0o755)
    nginx, command = configured(folder, *upstreams)
    process = await asyncio.create_subprocess_exec(*command)

    def is_open() -> bool:
        assert process.returncode is None, (folder / "errors").read_text("utf-8")
        return (folder / "pid").exists()

    try:
        await until(is_open)
        yield nginx
    finally:
        process.terminate()
        await process.wait()


@pytest.fixture(scope="module")
async def module_nginx(folder: Path, session_listening: RunningProxy) -> AsyncIterator[Nginx]:
    async with serving(folder, session_listening.port) as nginx:
        yield nginx


@pytest.fixture
def nginx(module_nginx: Nginx, proxy: RunningProxy) -> Nginx:
    """One before ``proxy``, whose upstream is ``upstream``."""
    assert proxy
    return module_nginx


def test_nginx_finds_nothing_wrong_with_it(tmp_path: Path) -> None:
    _, command = configured(tmp_path, 9)

    done = subprocess.run([*command, "-t"], capture_output=True, text=True, check=False)

    assert (done.returncode, "warn" in done.stderr) == (0, False), done.stderr


async def test_each_word_arrives_before_the_next_one_is_said(
    nginx: Nginx, upstream: ScriptedUpstream
) -> None:
    words = [b"data: one\n\n", b": ping\n\n", b"data: two\n\n", DONE]
    said = [asyncio.Event() for _ in words]
    steps: list[Step] = [step for pair in zip(words, said, strict=True) for step in pair]
    upstream.answers.append(streamed(*steps, headers=EVENT_STREAM))

    async with (
        nginx.client() as client,
        client.stream("POST", CHAT.decode(), content=chat_body("Hello")) as answer,
    ):
        arriving = answer.aiter_raw()
        for word, may_go_on in zip(words, said, strict=True):
            got = b""
            while len(got) < len(word):
                got += await anext(arriving)
            assert got == word
            may_go_on.set()


async def test_an_upload_begins_to_arrive_before_it_ends(nginx: Nginx, upstream: ScriptedUpstream) -> None:
    seen = asyncio.Event()

    async def content() -> AsyncIterator[bytes]:
        yield b"a" * 100_000
        [begun] = await upstream.requests(1, begun=True)
        assert begun.target == b"/v1/files"
        seen.set()
        yield b"b" * _LARGE

    upstream.forget()
    async with nginx.client() as client:
        answer = await client.post("/v1/files", content=content())

    assert (answer.status_code, seen.is_set()) == (200, True)
    assert len(upstream.last.body) == 100_000 + _LARGE


async def test_a_websocket_talks_through_it(
    tmp_path: Path, relay: RunningProxy, talker: TalkingUpstream
) -> None:
    async with (
        serving(tmp_path, relay.port) as nginx,
        connect(f"wss://127.0.0.1:{nginx.port}/v1/realtime?model=x", ssl=nginx.tls) as talking,
    ):
        for word in ("hello", "there"):
            await talking.send(word)
            assert await talking.recv() == word
        assert talker.opened


IDENTITY = {
    "X-OpenWebUI-User-Id": "anna",
    "x_openwebui_user_id": "anna",
    "X-OpenWebUI-User-Name": "Anna",
    "X-OpenWebUI-User-Email": "anna@example.org",
    "X-OpenWebUI-User-Role": "admin",
    "X-Recollect-Secret": "a secret",
}


async def test_nobody_says_by_a_header_who_they_are(
    nginx: Nginx, proxy: RunningProxy, upstream: ScriptedUpstream, user: User
) -> None:
    forged = {name: user.id if value == "anna" else value for name, value in IDENTITY.items()}
    direct = await proxy.say(user, "Hello")

    async with nginx.client() as client:
        answer = await client.post(CHAT.decode(), content=chat_body("Hello"), headers=forged)

    assert direct.header(b"x-recollect-skipped") != b"no-identity", "who reaches the proxy itself is believed"
    assert answer.headers["x-recollect-skipped"] == "no-identity"
    assert upstream.last.body == chat_body("Hello")


def test_every_plain_header_that_names_somebody_is_taken_off() -> None:
    text = FILE.read_text("utf-8").lower()
    settings = ProxySettings(upstream="http://llm/v1")
    taken = {line.split()[1] for line in text.splitlines() if line.strip().startswith("proxy_set_header x-")}

    assert taken == {name.lower() for name in IDENTITY if "_" not in name}
    assert {settings.user_header, SECRET_HEADER} <= taken


async def test_metrics_and_what_is_not_recollects_are_not_reached_and_tokens_are_for_recollect_to_judge(
    nginx: Nginx,
) -> None:
    expected = {
        "/memory/live": 200,
        "/memory/users/anna/memories": 401,
        "/memory/metrics": 404,
        "/memory/metrics.json": 404,
        "/memory/%6detrics": 404,
        "/": 404,
    }
    async with nginx.client() as client:
        wrong = {"Authorization": "Bearer wrong"}
        found = {path: (await client.get(path, headers=wrong)).status_code for path in expected}

    assert found == expected


async def test_every_chat_is_answered_while_a_proxys_machine_is_silent(
    tmp_path: Path, proxy: RunningProxy, upstream: ScriptedUpstream
) -> None:
    upstream.forget()
    with nobody_accepts() as silent:
        async with serving(tmp_path, silent, proxy.port) as nginx, nginx.client() as client:
            chats = [client.post(CHAT.decode(), content=chat_body("Hello")) for _ in range(4)]
            answers = await asyncio.gather(*chats)
            errors = nginx.errors

    assert [answer.status_code for answer in answers] == [200] * 4
    assert f":{silent}/" in errors, "the silent one was asked"
    assert len(await upstream.requests(4)) == 4


async def test_the_log_has_no_query(nginx: Nginx) -> None:
    async with nginx.client() as client:
        await client.get("/memory/live?ticket=hush")

    await until(lambda: "/memory/live" in nginx.log)
    assert "hush" not in nginx.log


@pytest.mark.parametrize("link", ["/memory/ui/enter?ticket=hush", "/memory/ui/oidc/callback?code=hush"])
async def test_the_secret_of_a_link_is_in_no_log(tmp_path: Path, link: str) -> None:
    async with serving(tmp_path, free_port()) as nginx, nginx.client() as client:
        found = [
            (await client.get(url)).status_code
            for url in (f"http://127.0.0.1:{nginx.plain}{link}", link, "/memory/live?query=quoted")
        ]
        await until(lambda: "/memory/live" in nginx.log)

    assert found == [308, 502, 502]
    assert nginx.log.count(link.partition("?")[0]) == 2
    assert "query=quoted" in nginx.errors, "no proxy answered, and the log of errors quotes what was asked"
    assert "hush" not in nginx.log + nginx.errors + nginx.default_log


async def test_an_answer_of_the_llms_server_is_no_order_to_nginx(
    nginx: Nginx, upstream: ScriptedUpstream
) -> None:
    orders = [*EVENT_STREAM, (b"X-Accel-Redirect", b"/memory/live")]
    upstream.answers.append(streamed(DONE, headers=orders))

    async with nginx.client() as client:
        answer = await client.post(CHAT.decode(), content=chat_body("Hello"))

    assert answer.content == DONE


async def test_who_comes_without_tls_is_led_to_it(nginx: Nginx) -> None:
    async with RawConnection(nginx.plain) as client:
        await client.send(b"GET /memory/ui HTTP/1.1\r\nHost: memory.example.org\r\n\r\n")
        assert await client.read_head() == 308
