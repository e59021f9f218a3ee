"""`recollect doctor --openwebui`, listening in the proxy's place, tells how the real Open WebUI is set up."""

import asyncio
import json
import re
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import astuple, dataclass
from pathlib import Path
from typing import Any

import pytest
from tests.e2e.openwebui.commands import SECONDS, Ended, ended, started
from tests.e2e.openwebui.language_model import LanguageModel
from tests.e2e.openwebui.lived_in import HEADERS, SECRET, SIGNED, connect
from tests.e2e.openwebui.people import Conversation, Person, signed_in
from tests.e2e.openwebui.server import served_openwebui
from tests.support.received import Received

_ADDRESS = re.compile(r"(http://127\.0\.0\.1:\d+/v1) ")
_HELLO = "I keep hens behind the bakery."
_HAT = "I wear a hat of felt."
_TOLD = "Recollect's doctor has seen this message. What it found stands in the terminal it was started in."
_CHECKS = ("identity", "chat id", "message id", "parent id", "task", "other memory", "way")

TOKENS = {"identity": "openwebui-jwt", "openwebui_jwt_secret": SECRET}
"""What our README has in Recollect's settings."""

HEADER = {"identity": "header"}

SPEAKING = {"plain": {"ENABLE_FORWARD_USER_INFO_HEADERS": "true"}, "signed": SIGNED, "silent": {}}
"""How Open WebUI is told to say who is speaking."""


class Examined(Ended):
    """What the doctor said, and how it ended."""

    @property
    def findings(self) -> dict[str, str]:
        """The line of each check, what to do behind it, by the name of the check."""
        lines = re.sub(r"\n +-> ", " -> ", self.out).splitlines()
        return {line[9:].partition(":")[0]: line for line in lines}

    @property
    def missing(self) -> list[str]:
        return [check for check, line in self.findings.items() if line.startswith("MISSING")]


class Remembering(Conversation):
    """A chat for which Open WebUI's own memory is switched on."""

    def _request(self, models: Sequence[str]) -> dict[str, Any]:
        return super()._request(models) | {"features": {"memory": True}}


@dataclass(frozen=True)
class Practice:
    """An Open WebUI, and whoever has it examined."""

    administrator: Person
    alice: Person
    model: LanguageModel

    async def examine(
        self,
        settings: Mapping[str, str],
        *options: str,
        headers: Mapping[str, str] = HEADERS,
        chat: Conversation | None = None,
    ) -> Examined:
        """Have the doctor listen, connect Open WebUI with it, and have Alice send it one message."""
        listening = ("--port", "0", "--listen", str(SECONDS))
        process = await started("doctor", "--openwebui", *listening, *options, settings=settings)
        assert process.stderr is not None
        try:
            async with asyncio.timeout(SECONDS):
                await process.stderr.readline()  # it is starting
                told = (await process.stderr.readline()).decode()
                address = _ADDRESS.search(told)
                assert address, told
                await connect(self.administrator, address[1], headers=headers)
                answer = await (chat or Conversation(self.alice)).says(_HELLO, models=["recollect-doctor"])
                assert answer in {_TOLD, ""}, "only of a temporary chat nothing is kept"
        except BaseException:
            process.kill()
            raise
        examined = Examined(*astuple(await ended(process)))
        assert "hens" not in f"{examined}"
        return examined

    async def asked(self, headers: Mapping[str, str]) -> Received:
        """Have Alice speak with the LLM itself; return what Open WebUI sent."""
        await connect(self.administrator, self.model.upstream.base_url, headers=headers)
        await Conversation(self.alice).says(_HAT)
        return self.model.chats(_HAT)[-1]


@asynccontextmanager
async def _practice(folder: Path, environ: Mapping[str, str]) -> AsyncIterator[Practice]:
    model = LanguageModel()
    async with (
        model.upstream,
        served_openwebui(
            folder,
            connection=model.upstream.base_url,
            connection_headers={},
            model=model.upstream.base_url,
            **dict(environ) | {"ENABLE_MEMORIES": "true"},
        ) as server,
    ):
        administrator = await signed_in(server)
        yield Practice(administrator, await administrator.add("Alice"), model)


@pytest.fixture(scope="module")
async def practice(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Practice]:
    async with _practice(tmp_path_factory.mktemp(request.param), SPEAKING[request.param]) as opened:
        yield opened


SIGNING = pytest.mark.parametrize("practice", ["signed"], indirect=True)
"""Open WebUI signs who is speaking."""

PLAIN_SPOKEN = pytest.mark.parametrize("practice", ["plain"], indirect=True)
"""Open WebUI says it in plain headers."""

SILENT = pytest.mark.parametrize("practice", ["silent"], indirect=True)
"""Open WebUI does not say it."""


# -- who signs -------------------------------------------------------------------------------------


@SIGNING
async def test_where_all_is_set_as_we_say_all_is_well(practice: Practice) -> None:
    examined = await practice.examine(TOKENS)

    assert examined.status == 0, examined.out
    assert tuple(examined.findings) == _CHECKS
    assert [line[:7] for line in examined.findings.values()] == ["ok     "] * len(_CHECKS)
    assert "empty: a first message" in examined.findings["parent id"]


@SIGNING
async def test_titles_that_are_asked_for_meanwhile_are_no_message(practice: Practice) -> None:
    with_title = await practice.examine(TOKENS, chat=Conversation(practice.alice, tasks=True))
    unnamed = await practice.examine(TOKENS, chat=Conversation(practice.alice, tasks=True), headers={})

    assert (with_title.status, with_title.missing) == (0, [])
    assert unnamed.missing == ["message id", "parent id", "task"]
    assert "worded as a background task" not in unnamed.out


@SIGNING
async def test_without_headers_of_the_connection_it_says_which_to_add(practice: Practice) -> None:
    examined = await practice.examine(TOKENS, headers={})

    assert (examined.status, examined.missing) == (1, ["message id", "parent id", "task"])
    for check, name, template in (
        ("message id", "x-recollect-message", "{{USER_MESSAGE_ID}}"),
        ("parent id", "x-recollect-parent", "{{USER_MESSAGE_PARENT_ID}}"),
        ("task", "x-recollect-task", "{{TASK}}"),
    ):
        assert f'-> add to the headers of the connection: "{name}": "{template}"' in examined.findings[check]


@SIGNING
async def test_open_webuis_own_memory_is_noticed_even_while_it_is_empty(practice: Practice) -> None:
    empty = await practice.examine(TOKENS, "--json", chat=Remembering(practice.alice))
    await practice.alice.call("POST", "/api/v1/memories/add", json={"content": _HAT, "type": "user"})
    try:
        full = await practice.examine(TOKENS, chat=Remembering(practice.alice))
    finally:
        await practice.alice.call("DELETE", "/api/v1/memories/delete/user")

    document = json.loads(empty.out)
    [found] = [finding for finding in document["findings"] if finding["status"] != "ok"]
    assert (empty.status, document["ok"]) == (1, False)
    assert (found["check"], found["status"]) == ("other memory", "missing")
    assert "tools" in found["told"]
    assert (full.status, full.missing) == (1, ["other memory"])
    assert "gets everything twice" in full.findings["other memory"]
    assert "ENABLE_MEMORIES=false" in full.findings["other memory"]
    assert "felt" not in full.out


# -- who does not ----------------------------------------------------------------------------------


@PLAIN_SPOKEN
async def test_plain_headers_are_believed_and_that_is_told(practice: Practice) -> None:
    examined = await practice.examine(HEADER)

    assert (examined.status, examined.missing) == (1, ["identity"])
    assert "a plain header that is not signed" in examined.findings["identity"]
    assert "RECOLLECT_IDENTITY=openwebui-jwt" in examined.findings["identity"]


@pytest.mark.parametrize("settings", [TOKENS, HEADER], ids=["signed", "plain"])
@SILENT
async def test_where_nothing_says_who_is_speaking_it_says_how_to(
    practice: Practice, settings: Mapping[str, str]
) -> None:
    examined = await practice.examine(settings)

    assert (examined.status, examined.missing) == (1, ["identity", "chat id"])
    for check in examined.missing:
        assert "ENABLE_FORWARD_USER_INFO_HEADERS=true" in examined.findings[check]
