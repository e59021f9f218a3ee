"""`make demo` as a person runs it: once as a process, and what it says when it can't be played."""

import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
from tests.recollect_proxy.commands.command_line import operators, run
from tests.recollect_proxy.settings import proxy_settings
from tests.scripted.upstream import Answer, Received, ScriptedUpstream, completion, whole
from tests.servers.databases import SpareDatabases
from tests.servers.ready_servers import ready_servers
from tests.servers.running_proxy import extract_statements
from tests.servers.served_process import environment, processes_in, temporary_files
from typer.testing import Result

from examples.demo import stage
from examples.demo.__main__ import app
from examples.demo.command import demo
from examples.demo.script import SCENES
from recollect_proxy.settings.proxy_settings import ProxySettings

REPOSITORY = Path(__file__).parents[3]
ANOTHER_DATABASE = "postgresql://nobody@127.0.0.1:9/never-touched"
"""Of an operator who serves it; no demo may touch it."""


def play(*arguments: str, **environment: str) -> Result:
    return run(app, *arguments, **environment)


@pytest.fixture(scope="session")
def operator_settings(data_dir: Path) -> ProxySettings:
    return proxy_settings(data_dir=data_dir, recall_deadline_ms=30_000)  # the machine may be busy


@pytest.fixture
async def ready_server(spare_databases: SpareDatabases) -> AsyncIterator[None]:
    """The server in memory that a test starts is there already."""
    async with ready_servers(spare_databases):
        yield


@pytest.fixture
def folder() -> Iterator[Path]:
    """Where the demo's temporary files go."""
    with temporary_files() as folder:
        yield folder


@pytest.mark.process
def test_it_shows_what_is_learned_replaced_recalled_kept_apart_and_undone_and_leaves_nothing_behind(
    operator_settings: ProxySettings, folder: Path
) -> None:
    given = environment(database_url=ANOTHER_DATABASE) | operators(operator_settings)
    own = {
        "COLUMNS": "80",
        "TMPDIR": str(folder),
        "ORT_DISABLE_TELEMETRY": "1",  # else onnxruntime leaves a file there when it is imported
    }

    ended = subprocess.run(
        [sys.executable, "-m", "examples.demo"],
        cwd=REPOSITORY,
        env=given | own,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )

    assert (ended.returncode, ended.stderr) == (0, "")
    lines = ended.stdout.splitlines()
    assert max(map(len, lines)) <= 80
    assert len(lines) <= 40
    assert "a script" in lines[0]
    shown = [" ".join(line.split()) for line in lines]
    for line in (
        "remembered Is allergic to walnuts",
        "replaced Lives in Porto -> Lives in Braga",
        "LLM (scripted) My prompt says: Lives in Braga",
        "recalled nothing",
        "undone Lives in Braga -> Lives in Porto",
    ):
        assert line in shown
    assert shown[-1].startswith("All came out as it must")
    assert list(folder.iterdir()) == []
    assert processes_in(folder) == []


@pytest.mark.usefixtures("ready_server")
def test_it_fails_when_what_must_come_of_it_does_not(
    operator_settings: ProxySettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stage, "_PATIENCE_SECONDS", 1.0)

    ended = play(
        **operators(operator_settings), RECOLLECT_DATABASE_URL=ANOTHER_DATABASE, RECOLLECT_RECORD="false"
    )

    assert ended.exit_code == 1
    assert "FAILED     Learned: nothing with 'Porto' was remembered" in ended.stdout


MODELS = whole(b'{"object":"list","data":[{"id":"scripted","object":"model","created":0,"owned_by":"test"}]}')


def real_model(request: Received) -> Answer:
    """Answer as an LLM that extracts, and that repeats its whole prompt."""
    if request.method == b"GET":
        return MODELS
    if "response_format" in request.json:
        return extract_statements(request)
    said = request.system or "I see."
    return completion(said)


@pytest.mark.usefixtures("ready_server")
async def test_with_an_llm_memories_are_extracted_and_nothing_is_shown_to_the_other(
    operator_settings: ProxySettings, capsys: pytest.CaptureFixture[str]
) -> None:
    async with ScriptedUpstream(real_model) as llm:
        settings = operator_settings.model_copy(update={"upstream": llm.base_url})

        met = await stage.stage(settings, is_real=True, api_key="sk-of-the-llm", model=None)

        keys = {value for request in llm.received for value in request.values(b"authorization")}
        users = [request.values(b"x-openwebui-user-id") for request in llm.received]

    text = capsys.readouterr().out
    assert met
    assert keys == {b"Bearer sk-of-the-llm"}
    assert not any(users)
    assert "before the model scripted" in text
    assert f"remembered {SCENES[0].says}" in text
    assert "Kept apart from another person:" not in text
    assert "sk-of-the-llm" not in text


@pytest.mark.parametrize("missing", ["openai", "httpx"])
def test_without_the_sdk_it_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch, missing: str) -> None:
    for name in [name for name in sys.modules if name.startswith("examples.demo.")]:
        if name not in {"examples.demo.command", "examples.demo.__main__"}:
            monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, missing, None)  # as if it were not installed

    with pytest.raises((SystemExit, ModuleNotFoundError)) as raised:
        demo()

    said = "pip install 'openai>=2'" in str(raised.value)
    assert said is (missing == "openai"), "what else is missing is no matter of that package"
