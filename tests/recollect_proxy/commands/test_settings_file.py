"""Settings come from variables and from a file in TOML, and `recollect config check` says what is wrong with either."""

import asyncio
import json
from pathlib import Path

import pytest
from structlog.testing import capture_logs
from tests.recollect_proxy.commands.command_line import recollect
from tests.scripted.oidc_provider import ScriptedOidc

from recollect.errors import ConfigurationError
from recollect.model import SystemStyle
from recollect.settings import EngineSettings
from recollect_proxy.serving.ephemeral_server import serve_upstream
from recollect_proxy.settings.command_settings import read_settings, settings_of_start
from recollect_proxy.settings.proxy_settings import IdentityMode, LogLevel

ALL_IS_WELL = {"RECOLLECT_UPSTREAM": "http://llm/v1"}
SECRET = "0123456789abcdef0123456789abcdef"
_SIGNED = {"RECOLLECT_IDENTITY": "openwebui-jwt", "RECOLLECT_OPENWEBUI_JWT_SECRET": SECRET}


@pytest.fixture(autouse=True)
def _no_settings_of_whoever_runs_the_tests(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("RECOLLECT_CONFIG", raising=False)
    monkeypatch.setenv("RECOLLECT_DATA_DIR", str(tmp_path))


def write(folder: Path, text: str) -> Path:
    file = folder / "recollect.toml"
    file.write_text(text, "utf-8")
    file.chmod(0o600)
    return file


def check(folder: Path, **variables: str) -> tuple[int, list[str]]:
    """Return how `recollect config check` ended, and its lines."""
    done = recollect("config", "check", RECOLLECT_DATA_DIR=str(folder), **{**ALL_IS_WELL, **variables})
    return done.exit_code, done.stdout.splitlines()


class TestTheFile:
    def test_says_what_variables_say(self, tmp_path: Path) -> None:
        write(
            tmp_path,
            'upstream = "http://llm/v1/"\nmemory_tokens = 800\nrecord = false\n'
            'identity = ["api-key", "header"]\n[system_styles]\n"Gemma*" = "none"\n',
        )

        settings = read_settings()

        assert (settings.upstream, settings.memory_tokens, settings.record) == ("http://llm/v1", 800, False)
        assert settings.identity == (IdentityMode.API_KEY, IdentityMode.HEADER)
        assert settings.system_styles == {"gemma*": SystemStyle.NONE}

    def test_sets_the_level_of_the_log_unless_a_variable_does(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        write(tmp_path, 'upstream = "http://llm/v1"\nlog_level = "WARNING"')

        told = read_settings().log_level
        monkeypatch.setenv("RECOLLECT_LOG_LEVEL", "debug")

        assert (told, read_settings().log_level) == (LogLevel.WARNING, LogLevel.DEBUG)
        assert check(tmp_path)[1][-1].startswith("A start has all it needs.")

    def test_stands_behind_variables_which_stand_behind_options(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        write(tmp_path, "memory_tokens = 100\nuser_cap = 1\nhistory_tokens = 10")
        monkeypatch.setenv("RECOLLECT_MEMORY_TOKENS", "200")
        monkeypatch.setenv("RECOLLECT_USER_CAP", "2")

        settings = EngineSettings(user_cap=3)

        assert (settings.memory_tokens, settings.user_cap, settings.history_tokens) == (200, 3, 10)

    def test_may_stand_elsewhere_and_name_the_data_folder(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        (tmp_path / "etc").mkdir()
        file = write(tmp_path / "etc", f'data_dir = "{tmp_path / "there"}"')
        monkeypatch.delenv("RECOLLECT_DATA_DIR")
        monkeypatch.setenv("RECOLLECT_CONFIG", str(file))

        assert EngineSettings().data_dir == tmp_path / "there"

    def test_sets_nothing_that_the_code_decides(self, tmp_path: Path) -> None:
        write(tmp_path, "recall_limit = 1\nhybrid = false")

        assert (EngineSettings().recall_limit, EngineSettings().hybrid) == (12, True)

    @pytest.mark.parametrize(
        ("text", "complaint"),
        [("memory_tokens = ", "is no TOML: Invalid value"), (None, "can't be read: No such file")],
    )
    def test_that_can_not_be_read_is_named(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str | None, complaint: str
    ) -> None:
        file = tmp_path / "mine.toml"
        monkeypatch.setenv("RECOLLECT_CONFIG", str(file))
        if text is not None:
            file.write_text(text)

        with pytest.raises(ConfigurationError, match=f"Settings: {file} {complaint}"):
            EngineSettings()

    def test_is_not_read_again_for_a_worker_which_is_given_all(self, tmp_path: Path) -> None:
        given = EngineSettings().model_dump()
        write(tmp_path, "nonsense")

        assert EngineSettings(**given).data_dir == tmp_path

    def test_whose_keys_set_nothing_is_told_of_at_a_start(self, tmp_path: Path) -> None:
        file = write(tmp_path, 'upstream = "http://llm/v1"\nmemory_token = 1\ncolour = "red"')

        with capture_logs() as lines:
            settings_of_start()

        [line] = [line for line in lines if line["event"] == "variables_ignored"]
        assert line["remedy"] == {
            f"colour in {file}": "there is no such setting; remove it",
            f"memory_token in {file}": "there is no such setting; did you mean memory_tokens?",
        }


class TestTheCheck:
    def test_says_that_all_is_well_and_from_where_settings_are(self, tmp_path: Path) -> None:
        file = write(tmp_path, "user_cap = 5")

        status, lines = check(tmp_path)

        assert status == 0
        given = f"2 from the environment, 1 from the file {file}"
        nothing_listens, verdict = lines
        assert nothing_listens.startswith("Nothing listens at the address of the model's server")
        assert (
            verdict == f"A start has all it needs. Settings given: {given}; all others are at their defaults."
        )

    def test_names_each_mistake_with_its_value_and_where_that_is_from(self, tmp_path: Path) -> None:
        file = write(tmp_path, 'memory_tokens = 10\nrecord = "perhaps"\nupstream = 3')

        status, lines = check(
            tmp_path, RECOLLECT_UPSTREAM="", RECOLLECT_PORT="eighty", RECOLLECT_FORMATION="never"
        )

        assert status == 2
        assert set(lines[:-1]) == {
            f"RECOLLECT_MEMORY_TOKENS: has to be 50 or more (it is 10, from the file {file})",
            f"RECOLLECT_RECORD: has to be true or false (it is perhaps, from the file {file})",
            f"RECOLLECT_UPSTREAM: has to be a text, in the settings file within quotes (it is 3, from the file {file})",
            "RECOLLECT_PORT: has to be a whole number (it is eighty, from the environment)",
            "RECOLLECT_FORMATION: has to be 'extract', 'qa_turn', 'both' or 'off' (it is never, from the environment)",
        }

    @pytest.mark.parametrize(
        ("variables", "complaint"),
        [
            ({"RECOLLECT_UPSTREAM": ""}, "Recollect needs the base URL of your LLM"),
            ({"RECOLLECT_HOST": "0.0.0.0"}, "Whoever reaches 0.0.0.0 could claim any identity"),
            ({"RECOLLECT_IDENTITY": "api-key"}, "RECOLLECT_IDENTITY=api-key needs "),
            ({"RECOLLECT_EMBEDDER": "openai:e5"}, "needs RECOLLECT_EMBEDDER_BASE_URL"),
            ({"RECOLLECT_EMBEDDER": "word2vec"}, "Unknown embedder 'word2vec'"),
            ({"RECOLLECT_SECOND_EMBEDDER": "on"}, "Unknown second embedder 'on'"),
            ({"RECOLLECT_EXTRACTION_BASE_URL": "llm"}, "RECOLLECT_EXTRACTION_MODEL must name a model"),
            ({"RECOLLECT_DATA_DIR": "/dev/null/x"}, "RECOLLECT_DATA_DIR: /dev/null is no folder"),
            # Below /proc root, too, makes nothing, though it may write there by the mode of the folder.
            (
                {"RECOLLECT_DATA_DIR": "/proc/nope"},
                "RECOLLECT_DATA_DIR: nothing can be made in /proc/nope: No such",
            ),
            (
                {"RECOLLECT_DATA_DIR": "/proc/nope", "RECOLLECT_ADMIN_TOKEN": SECRET},
                "RECOLLECT_DATA_DIR: nothing can be made in /proc/nope: No such",
            ),
            (
                {"RECOLLECT_LOG_LEVEL": "verbose"},
                "RECOLLECT_LOG_LEVEL: has to be 'debug', 'info', 'warning' or 'error'",
            ),
            (
                {"RECOLLECT_HOST": "0.0.0.0", **_SIGNED, "RECOLLECT_ADMIN_TOKEN": "a" * 40},
                "RECOLLECT_ADMIN_TOKEN is too weak",
            ),
        ],
    )
    def test_sees_what_makes_no_sense_together(
        self, tmp_path: Path, variables: dict[str, str], complaint: str
    ) -> None:
        done = recollect(
            "config", "check", **{"RECOLLECT_DATA_DIR": str(tmp_path), **ALL_IS_WELL, **variables}
        )

        assert done.exit_code == 2
        assert complaint in done.stdout.splitlines()[0]

    @pytest.mark.parametrize("identity", [_SIGNED, {"RECOLLECT_SHARED_SECRET": SECRET}])
    def test_takes_an_address_that_others_reach_where_a_start_would_make_the_token(
        self, tmp_path: Path, identity: dict[str, str]
    ) -> None:
        status, lines = check(tmp_path, RECOLLECT_HOST="0.0.0.0", **identity)

        assert status == 0
        assert [each.split(" ")[0] for each in lines] == ["Nothing", "A"], lines

    def test_judges_the_token_that_a_start_would_find(self, tmp_path: Path) -> None:
        (tmp_path / "admin-token").write_text("a" * 40, "ascii")

        status, [mistake, *_] = check(tmp_path, RECOLLECT_HOST="0.0.0.0", **_SIGNED)

        assert (status, "RECOLLECT_ADMIN_TOKEN is too weak" in mistake) == (2, True)

    def test_says_of_a_token_that_is_none_what_to_do_and_quotes_nothing_of_it(self, tmp_path: Path) -> None:
        file = tmp_path / "admin-token"
        file.write_text("schlüssel-hush", "utf-8")

        status, [mistake, *_] = check(tmp_path)

        assert (status, mistake.startswith(f"RECOLLECT_DATA_DIR: {file} holds no admin token")) == (2, True)
        assert "hush" not in mistake
        served = recollect("serve", RECOLLECT_DATA_DIR=str(tmp_path), RECOLLECT_PORT="0", **ALL_IS_WELL)
        assert str(served.exception) == mistake

    def test_complains_once_of_a_folder_that_can_not_be_used(self) -> None:
        status, lines = check(Path("/dev/null/x"), RECOLLECT_EMBEDDER="word2vec")

        complaints = [line for line in lines if line.startswith("RECOLLECT_DATA_DIR")]
        assert (status, complaints) == (2, ["RECOLLECT_DATA_DIR: /dev/null is no folder."])

    def test_leaves_nothing_in_the_folder_that_it_tries(self, tmp_path: Path) -> None:
        assert check(tmp_path)[0] == 0

        assert list(tmp_path.iterdir()) == []

    def test_says_what_is_worse_without_a_folder_where_a_start_goes_on(self, tmp_path: Path) -> None:
        (tmp_path / "file").touch()
        none_needed = {
            "RECOLLECT_ADMIN_TOKEN": SECRET,
            "RECOLLECT_DATABASE_URL": "postgresql://127.0.0.1:9/none",
            "RECOLLECT_DATA_DIR": str(tmp_path / "file"),
        }

        done = recollect("config", "check", "--offline", **none_needed, **ALL_IS_WELL)

        remark, verdict = done.stdout.splitlines()
        assert done.exit_code == 0
        assert remark.startswith(f"RECOLLECT_DATA_DIR: {tmp_path / 'file'} is no folder; a start goes on")
        assert verdict.startswith("A start has all it needs.")

    async def test_asks_the_provider_for_the_sign_in(self, tmp_path: Path) -> None:
        async with serve_upstream(oidc := ScriptedOidc()) as origin:
            oidc.issuer = origin
            given = {"PUBLIC_URL": "https://memory.example", "OIDC_CLIENT_ID": "x", "OIDC_ISSUER": origin}
            variables = {f"RECOLLECT_{name}": value for name, value in given.items()}

            _, well = await asyncio.to_thread(check, tmp_path, **variables)
            oidc.issuer = f"{origin}/"
            _, another = await asyncio.to_thread(check, tmp_path, **variables)
        _, away = await asyncio.to_thread(check, tmp_path, **variables)

        told = [[line for line in lines if "RECOLLECT_OIDC" in line] for lines in (well, another, away)]
        assert [len(each) for each in told] == [0, 1, 1]
        assert "it names itself differently" in told[1][0]
        assert "nobody can sign in there now (ConnectError)" in told[2][0]

    def test_names_the_local_model_that_there_is(self, tmp_path: Path) -> None:
        status, [mistake, *_] = check(tmp_path, RECOLLECT_EMBEDDER="local:all-mpnet-base-v2")

        assert (status, "write local:multilingual-e5-small" in mistake) == (2, True)

    def test_reads_the_memories_for_everybody(self, tmp_path: Path) -> None:
        file = tmp_path / "global-memories.txt"
        file.write_bytes("Der B\u00e4cker \u00f6ffnet um sieben.".encode("latin-1"))

        status, [mistake, *_] = check(tmp_path)

        assert (status, f"{file} can't be read: UnicodeDecodeError" in mistake) == (2, True)

    @pytest.mark.parametrize(
        "address",
        [
            "https://chat.example.org/c/",
            "javascript:alert(1)//{chat}",
            "//chat.example.org/c/{chat}",
            "https://{chat}/c/",
            "https://chat.example.org{chat}",
            "https://anna:secret@chat.example.org/c/{chat}",
            "https://chat.example.org/c/{chat}/{chat}",
        ],
    )
    def test_takes_the_address_of_a_chat_alone(self, tmp_path: Path, address: str) -> None:
        assert check(tmp_path, RECOLLECT_CHAT_LINK="https://chat.example.org/c/{chat}")[0] == 0

        status, [mistake, *_] = check(tmp_path, RECOLLECT_CHAT_LINK=address)

        assert (status, "not the address of a chat" in mistake) == (2, True)

    @pytest.mark.parametrize(
        ("variables", "reminders"),
        [
            ({"RECOLLECT_PUBLIC_URL": "https://chat.example.org"}, 1),
            (
                {"RECOLLECT_PUBLIC_URL": "https://chat.example.org", "RECOLLECT_REQUIRE_IDENTITY": "true"},
                0,
            ),
            ({}, 0),
        ],
    )
    def test_says_that_others_ask_the_llm_with_the_operators_key(
        self, tmp_path: Path, variables: dict[str, str], reminders: int
    ) -> None:
        status, lines = check(tmp_path, RECOLLECT_UPSTREAM_API_KEY="hush", **variables)

        assert status == 0
        assert sum("RECOLLECT_REQUIRE_IDENTITY" in line for line in lines) == reminders

    def test_shows_no_secret_and_says_who_can_read_the_file(self, tmp_path: Path) -> None:
        file = write(tmp_path, 'admin_token = "  "\nshared_secret = "hush-1"')
        file.chmod(0o644)

        status, lines = check(tmp_path, RECOLLECT_UPSTREAM="http://anna:hush-2@llm/v1")

        assert status == 2
        assert "hush" not in " ".join(lines)
        assert f"{file} holds admin_token, shared_secret and others can read it: chmod 600 {file}" in lines

    def test_is_there_for_programs_too(self, tmp_path: Path) -> None:
        done = recollect(
            "config", "check", "--json", RECOLLECT_DATA_DIR=str(tmp_path), RECOLLECT_PORT="-1", **ALL_IS_WELL
        )

        assert json.loads(done.stdout)["mistakes"] == [
            "RECOLLECT_PORT: has to be 0 or more (it is -1, from the environment)"
        ]
        assert done.exit_code == 2

    def test_leaves_nothing_behind(self, tmp_path: Path) -> None:
        folder = tmp_path / "not-there-yet"

        status, _ = check(folder)

        assert (status, folder.exists()) == (0, False)
