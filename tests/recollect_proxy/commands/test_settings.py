"""Settings come from variables and from a file in TOML; their values are checked, and no secret of theirs is shown."""

from pathlib import Path

import pytest
from pydantic import ValidationError
from structlog.testing import capture_logs
from tests.recollect_proxy.commands.command_line import write_settings
from tests.recollect_proxy.settings import proxy_settings
from tests.support.tables import table

from recollect.errors import ConfigurationError
from recollect.model import SystemStyle
from recollect.settings.engine_settings import EngineSettings
from recollect_proxy.settings import command_settings
from recollect_proxy.settings.command_settings import Sources, read_settings
from recollect_proxy.settings.proxy_settings import IdentityMode, LogLevel
from recollect_proxy.settings.shown_urls import NOT_SHOWN, without_credentials, without_path

pytestmark = pytest.mark.usefixtures("_no_settings_of_whoever_runs_the_tests")


@table(
    ("given", "kept"),
    [
        ("http://127.0.0.1:11434/v1", "http://127.0.0.1:11434/v1"),
        ("https://api.example.org/v1/", "https://api.example.org/v1"),
        ("http://[::1]:8000", "http://[::1]:8000"),
        ("http://llm", "http://llm"),
    ],
)
def test_an_upstream_is_a_base_url_without_a_slash_at_its_end(given: str, kept: str) -> None:
    assert proxy_settings(upstream=given).upstream == kept


@table(
    "given",
    [
        *(
            "",
            "127.0.0.1:11434/v1",
            "ftp://llm/v1",
            "http://",
            "http:///v1",
            "http://llm/v1?a=1",
            "http://llm/v1#a",
        ),
        *("http://h:99999/v1", "http://h:abc/v1", "http://a..b/v1", "http://user:secret@host/v1"),
    ],
)
def test_what_is_no_base_url_is_refused(given: str) -> None:
    with pytest.raises(ValidationError, match="upstream"):
        proxy_settings(upstream=given)


@table("name", ["user_header", "session_header"])
def test_a_header_is_named_in_any_case_and_what_is_no_name_is_refused(name: str) -> None:
    assert getattr(proxy_settings(**{name: " X-User-Id "}), name) == "x-user-id"
    for given in ("", " ", "x user", "x:user", "x\r\nuser", "x-\u00fcser"):
        with pytest.raises(ValidationError, match="not a header name"):
            proxy_settings(**{name: given})


def test_a_blank_admin_token_is_refused_as_anybody_could_send_it() -> None:
    with pytest.raises(ValidationError, match="admin_token"):
        proxy_settings(admin_token="  ")


def test_secrets_are_not_shown() -> None:
    names = (
        "admin_token embedder_api_key extraction_api_key openwebui_jwt_secret shared_secret upstream_api_key"
    )
    given = dict.fromkeys(names.split(), "hush-1") | {"database_url": "postgresql://u:hush-2@h/d"}
    settings = proxy_settings(**given)

    assert "hush" not in f"{settings!r}{settings}"


@table(
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
def test_the_address_of_a_chat_alone_is_taken(address: str) -> None:
    assert proxy_settings(chat_link="https://chat.example.org/c/{chat}").chat_link is not None
    with pytest.raises(ValidationError, match="not the address of a chat"):
        proxy_settings(chat_link=address)


@pytest.fixture
def _no_settings_of_whoever_runs_the_tests(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("RECOLLECT_CONFIG", raising=False)
    monkeypatch.setenv("RECOLLECT_DATA_DIR", str(tmp_path))


def test_the_file_says_what_variables_say(tmp_path: Path) -> None:
    write_settings(
        tmp_path,
        'upstream = "http://llm/v1/"\nmemory_tokens = 800\nrecord = false\n'
        'identity = ["api-key", "header"]\n[system_styles]\n"Gemma*" = "none"\n',
    )

    settings = read_settings()

    assert (settings.upstream, settings.memory_tokens, settings.record) == ("http://llm/v1", 800, False)
    assert settings.identity == (IdentityMode.API_KEY, IdentityMode.HEADER)
    assert settings.system_styles == {"gemma*": SystemStyle.NONE}


def test_a_variables_level_of_the_log_goes_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_settings(tmp_path, 'upstream = "http://llm/v1"\nlog_level = "WARNING"')

    told = read_settings().log_level
    monkeypatch.setenv("RECOLLECT_LOG_LEVEL", "debug")

    assert (told, read_settings().log_level) == (LogLevel.WARNING, LogLevel.DEBUG)


def test_options_go_before_variables_before_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_settings(tmp_path, "memory_tokens = 100\nuser_cap = 1\nhistory_tokens = 10")
    monkeypatch.setenv("RECOLLECT_MEMORY_TOKENS", "200")
    monkeypatch.setenv("RECOLLECT_USER_CAP", "2")

    settings = EngineSettings(user_cap=3)
    read = read_settings(upstream="http://option/v1", user_cap=None)

    assert (settings.memory_tokens, settings.user_cap, settings.history_tokens) == (200, 3, 10)
    assert (read.upstream, read.user_cap) == ("http://option/v1", 2), (
        "an option that is not given says nothing"
    )


def test_the_file_may_name_the_data_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "etc").mkdir()
    file = write_settings(tmp_path / "etc", f'data_dir = "{tmp_path / "there"}"')
    monkeypatch.delenv("RECOLLECT_DATA_DIR")
    monkeypatch.setenv("RECOLLECT_CONFIG", str(file))

    assert EngineSettings().data_dir == tmp_path / "there"


def test_the_file_sets_nothing_that_the_code_decides(tmp_path: Path) -> None:
    write_settings(tmp_path, "recall_limit = 1\nchat_memory_tokens = 100")

    assert (EngineSettings().recall_limit, EngineSettings().chat_memory_tokens) == (None, None)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [("memory_tokens = ", "is no TOML: Invalid value"), (None, "can't be read: No such file")],
)
def test_the_file_that_can_not_be_read_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str | None, complaint: str
) -> None:
    file = tmp_path / "mine.toml"
    monkeypatch.setenv("RECOLLECT_CONFIG", str(file))
    if text is not None:
        file.write_text(text)

    with pytest.raises(ConfigurationError, match=f"Settings: {file} {complaint}"):
        EngineSettings()


def test_the_file_is_not_read_again_for_a_worker_which_is_given_all(tmp_path: Path) -> None:
    given = EngineSettings().model_dump()
    write_settings(tmp_path, "nonsense")

    assert EngineSettings(**given).data_dir == tmp_path


def test_a_start_tells_once_of_what_sets_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = write_settings(tmp_path, 'upstream = "http://llm/v1"\nmemory_token = 1\ncolour = "red"')
    monkeypatch.setenv("RECOLLECT_USERCAP", "hush")
    monkeypatch.setenv("RECOLLECT_THE_CAT", "hush")

    with capture_logs() as lines:
        command_settings._tell_what_sets_nothing(Sources())

    [line] = [line for line in lines if line["event"] == "variables_ignored"]
    meant = {"RECOLLECT_USERCAP": "RECOLLECT_USER_CAP", f"memory_token in {file}": "memory_tokens"}
    assert line["remedy"] == {
        **dict.fromkeys(("RECOLLECT_THE_CAT", f"colour in {file}"), "there is no such setting; remove it"),
        **{name: f"there is no such setting; did you mean {each}?" for name, each in meant.items()},
    }
    assert "hush" not in str(line)


@table(
    ("url", "shown"),
    [
        ("postgresql://me:hush@db.example:5432/memories", "postgresql://db.example:5432/memories"),
        ("postgresql://me@/memories?host=/run/pg", "postgresql:///memories?host=/run/pg"),
        ("postgresql:///memories?user=me&password=hush", "postgresql:///memories"),
        ("postgresql://db/m?sslmode=require&sslpassword=hush", "postgresql://db/m?sslmode=require"),
        ("postgresql://me:hush@One:5432,two/memories", "postgresql://one:5432,two/memories"),
        ("postgresql://me:hu,sh@one:5432,two:5433/memories", "postgresql://one:5432,two:5433/memories"),
        ("http://127.0.0.1:11434/v1", "http://127.0.0.1:11434/v1"),
        *((f"postgresql://me:hu{each}sh@127.0.0.1:1/db", NOT_SHOWN) for each in "#/?["),
        *((f"postgresql://me:{each}", NOT_SHOWN) for each in ("hu,sh", "hush@one,two:x/memories", "hush")),
        ("me:hush@127.0.0.1/db", NOT_SHOWN),
    ],
)
def test_a_url_is_shown_without_its_user_and_its_passwords(url: str, shown: str) -> None:
    assert without_credentials(url) == shown


@table(
    ("url", "shown"),
    [
        ("https://hooks.example/services/T0/B0/hush", "https://hooks.example/(hidden)"),
        ("https://me:hush@hooks.example:81?token=hush", "https://hooks.example:81/(hidden)"),
        ("http://127.0.0.1:9000/", "http://127.0.0.1:9000/"),
        ("https://hooks.example/a#hush", NOT_SHOWN),
    ],
)
def test_of_a_webhooks_url_the_path_and_query_are_hidden_too(url: str, shown: str) -> None:
    assert without_path(url) == shown
