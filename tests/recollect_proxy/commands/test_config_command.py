"""`recollect config`: what is set, where it is from, and what a start would refuse."""

import asyncio
import json
import re
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.recollect_proxy.commands.command_line import recollect, write_settings
from tests.scripted.oidc_provider import ScriptedOidc
from tests.support.tables import table

from recollect.settings.engine_settings import EngineSettings
from recollect.settings.variables_and_file import is_setting
from recollect_proxy.commands.config import FILES, GROUPS, markdown
from recollect_proxy.serving.ephemeral_server import serve_upstream
from recollect_proxy.settings.proxy_settings import ProxySettings

REPOSITORY = Path(__file__).parents[3]
SECRETS = {
    "RECOLLECT_ADMIN_TOKEN": "hush-1",
    "RECOLLECT_DATABASE_URL": "postgresql://u:hush-2@h/d",
    "RECOLLECT_EMBEDDER_API_KEY": "hush-3",
    "RECOLLECT_EXTRACTION_API_KEY": "hush-4",
    "RECOLLECT_EXTRACTION_BASE_URL": "http://u:hush-5@host:81/v1",
    "RECOLLECT_UPSTREAM_API_KEY": "hush-6",
    "RECOLLECT_SHARED_SECRET": "hush-7",
    "RECOLLECT_OPENWEBUI_JWT_SECRET": "hush-8",
    "RECOLLECT_EMBEDDER_BASE_URL": "http://hush-9@host:81/v1",
    "RECOLLECT_WEBHOOK_URL": "https://hooks.example/hush-10?key=hush-11",
    "RECOLLECT_WEBHOOK_SECRET": "whsec_aHVzaC1odXNoLWh1c2gtaHVzaC1odXNoLTEy",
}


def test_the_page_of_settings_is_what_the_settings_say() -> None:
    assert (REPOSITORY / "docs" / "reference" / "settings.md").read_text() == markdown(), (
        "`make docs` writes it anew"
    )


def test_the_page_names_each_setting_once() -> None:
    named = re.findall(r"^- `(\w+)`", markdown().split("## Files")[0], re.MULTILINE)

    fields = ProxySettings.model_fields
    assert sorted(named) == sorted(f"RECOLLECT_{name.upper()}" for name in fields if is_setting(fields[name]))


def test_the_page_says_which_settings_the_filter_reads() -> None:
    told = set(
        re.findall(r"`RECOLLECT_([A-Z_]+)`", markdown().partition("The filter within")[2].partition("##")[0])
    )
    groups = {name for names in [*GROUPS.values()][-3:] for name in names.split()}

    read = {name for name, field in EngineSettings.model_fields.items() if is_setting(field)}
    assert {name.lower() for name in told} | groups == read


def test_each_setting_is_shown_with_where_it_is_from(tmp_path: Path) -> None:
    (tmp_path / "admin-token").write_text("hush")
    (tmp_path / "instructions.toml").write_text("")
    given = {"RECOLLECT_DATA_DIR": str(tmp_path), "RECOLLECT_IDENTITY": "api-key,header"}
    given |= {"recollect_user_cap": "7", "RECOLLECT_PORT": "", "RECOLLECT_TRUSTED_NETWORK": "9"}

    shown = json.loads(recollect("config", "--json", **given).stdout)

    settings = shown["settings"]
    assert settings["user_cap"] == {"value": 7, "source": "environment"}
    assert settings["identity"] == {"value": ["api-key", "header"], "source": "environment"}
    assert settings["port"] == {"value": 8787, "source": "default"}
    assert settings["upstream"] == {"value": None, "source": "not set, and needed"}
    assert settings["admin_token"] == {"value": "(hidden)", "source": f"file {tmp_path / 'admin-token'}"}
    found = dict.fromkeys(("admin-token", "instructions.toml"), "found")
    assert shown["files"] == dict.fromkeys(FILES, "none") | found
    assert list(shown["without_effect"]) == ["RECOLLECT_TRUSTED_NETWORK"]
    assert "trusted_network" not in settings


def test_it_is_read_by_people_too(tmp_path: Path) -> None:
    given = {"RECOLLECT_DATA_DIR": str(tmp_path), "RECOLLECT_USER_CAPS": "7"}

    lines = recollect("config", RECOLLECT_UPSTREAM="http://llm/v1", **given).stdout.splitlines()

    assert "RECOLLECT_UPSTREAM = http://llm/v1  (environment)" in lines
    assert "RECOLLECT_OPENWEBUI_STATUS = true  (default)" in lines
    assert f"{tmp_path / 'jwks.json'}: none" in lines
    assert lines[-1].endswith("did you mean RECOLLECT_USER_CAP?")


def test_what_it_shows_of_a_setting_sets_the_same_again(tmp_path: Path) -> None:
    given = {"RECOLLECT_DATA_DIR": str(tmp_path), "RECOLLECT_UPSTREAM": "http://llm/v1"}
    styles = {"RECOLLECT_SYSTEM_STYLES": "gemma*=none,o1*=developer", "RECOLLECT_IDENTITY": "api-key, header"}
    shown = dict(
        line.rpartition("  (")[0].split(" = ", 1)
        for line in recollect("config", **given, **styles).stdout.splitlines()
        if line.startswith("RECOLLECT_")
    )

    assert shown["RECOLLECT_SYSTEM_STYLES"] == "gemma*=none,o1*=developer"
    assert shown["RECOLLECT_IDENTITY"] == "api-key,header"
    again = {name: value for name, value in shown.items() if value != "(hidden)"}
    values = []
    for env in (given | styles, again):
        settings = json.loads(recollect("config", "--json", **env).stdout)["settings"]
        values.append({name: each["value"] for name, each in settings.items()})
    assert values[0] == values[1]


def test_no_secret_is_shown_in_any_way() -> None:
    for how in ((), ("--json",)):
        shown = recollect("config", *how, **SECRETS)

        assert shown.exit_code == 0
        assert "hush" not in shown.output
        assert "http://host:81/v1" in shown.output


ALL_IS_WELL = {"RECOLLECT_UPSTREAM": "http://llm/v1"}
SECRET = "0123456789abcdef0123456789abcdef"
_SIGNED = {"RECOLLECT_IDENTITY": "openwebui-jwt", "RECOLLECT_OPENWEBUI_JWT_SECRET": SECRET}
_TOKEN, OPEN = {"RECOLLECT_ADMIN_TOKEN": SECRET}, {"RECOLLECT_HOST": "0.0.0.0"}
NOPE = {"RECOLLECT_DATA_DIR": "/proc/nope"}
PASSWORD = "hush-7"


def check(folder: Path, *options: str, **variables: str) -> tuple[int, list[str]]:
    """Return how `recollect config check` ended, and its lines."""
    given = {"RECOLLECT_DATA_DIR": str(folder), **ALL_IS_WELL, **variables}
    done = recollect("config", "check", *options, **given)
    return done.exit_code, done.stdout.splitlines()


def test_the_check_says_that_all_is_well_and_from_where_settings_are(tmp_path: Path) -> None:
    file = write_settings(tmp_path, "user_cap = 5")

    status, lines = check(tmp_path)

    assert status == 0
    given = f"2 from the environment, 1 from the file {file}"
    nothing_listens, verdict = lines
    assert nothing_listens.startswith("Nothing listens at the address of the model's server")
    assert verdict == f"A start has all it needs. Settings given: {given}; all others are at their defaults."


def test_the_check_names_each_mistake_with_its_value_and_where_that_is_from(tmp_path: Path) -> None:
    file = write_settings(tmp_path, 'memory_tokens = 10\nrecord = "perhaps"\nupstream = 3')

    wrong = {"RECOLLECT_UPSTREAM": "", "RECOLLECT_PORT": "eighty", "RECOLLECT_FORMATION": "never"}
    status, lines = check(tmp_path, **wrong)

    assert status == 2
    assert set(lines[:-1]) == {
        f"RECOLLECT_MEMORY_TOKENS: has to be 50 or more (it is 10, from the file {file})",
        f"RECOLLECT_RECORD: has to be true or false (it is perhaps, from the file {file})",
        f"RECOLLECT_UPSTREAM: has to be a text, in the settings file within quotes (it is 3, from the file {file})",
        "RECOLLECT_PORT: has to be a whole number (it is eighty, from the environment)",
        "RECOLLECT_FORMATION: has to be 'extract', 'qa_turn', 'both' or 'off' (it is never, from the environment)",
    }


@table(
    ("variables", "complaint"),
    [
        ({"RECOLLECT_UPSTREAM": ""}, "Recollect needs the base URL of your LLM"),
        *(
            (
                {"RECOLLECT_UPSTREAM": f"http://{host}:8787/v1"} | more,
                "RECOLLECT_UPSTREAM is Recollect's own address",
            )
            for host, more in (
                ("127.0.0.1", {}),
                ("localhost", {}),
                ("127.0.0.1", OPEN | _SIGNED),
                ("192.0.2.1", {"RECOLLECT_HOST": "192.0.2.1"} | _SIGNED),
            )
        ),
        (
            {
                "RECOLLECT_UPSTREAMS": '[{"name": "second", "url": "http://localhost:8787/v1", "models": ["x"]}]'
            },
            "RECOLLECT_UPSTREAMS, second: is Recollect's own address",
        ),
        ({"RECOLLECT_UPSTREAM": "http://llm.example/v1/v1/"}, "its path /v1 is there twice"),
        (OPEN, "Whoever reaches 0.0.0.0 could claim any identity"),
        ({"RECOLLECT_IDENTITY": "api-key"}, "RECOLLECT_IDENTITY=api-key needs "),
        ({"RECOLLECT_EMBEDDER": "openai:e5"}, "needs RECOLLECT_EMBEDDER_BASE_URL"),
        ({"RECOLLECT_EMBEDDER": "word2vec"}, "Unknown embedder 'word2vec'"),
        ({"RECOLLECT_EMBEDDER": "local:all-mpnet-base-v2"}, "write local:multilingual-e5-small"),
        ({"RECOLLECT_EXTRACTION_BASE_URL": "llm"}, "RECOLLECT_EXTRACTION_MODEL must name a model"),
        ({"RECOLLECT_DATA_DIR": "/dev/null/x"}, "RECOLLECT_DATA_DIR: /dev/null is no folder"),
        # Below /proc root, too, makes nothing, though it may write there by the mode of the folder.
        *(
            (each, "RECOLLECT_DATA_DIR: nothing can be made in /proc/nope: No such")
            for each in (NOPE, NOPE | _TOKEN)
        ),
        ({"RECOLLECT_LOG_LEVEL": "verbose"}, "RECOLLECT_LOG_LEVEL: has to be 'debug', 'info', 'warning' or"),
        (OPEN | _SIGNED | {"RECOLLECT_ADMIN_TOKEN": "a" * 40}, "RECOLLECT_ADMIN_TOKEN is too weak"),
    ],
)
def test_the_check_sees_what_clashes(tmp_path: Path, variables: dict[str, str], complaint: str) -> None:
    status, lines = check(tmp_path, **variables)

    assert (status, complaint in lines[0]) == (2, True)
    assert not any(line.startswith("RECOLLECT_DATA_DIR") for line in lines[1:]), "complained of once"


@table("identity", [_SIGNED, {"RECOLLECT_SHARED_SECRET": SECRET}])
def test_the_check_takes_an_open_address(tmp_path: Path, identity: dict[str, str]) -> None:
    status, lines = check(tmp_path, RECOLLECT_HOST="0.0.0.0", **identity)

    assert status == 0
    assert [each.split(" ")[0] for each in lines] == ["Nothing", "A"], lines


def test_the_check_judges_the_token_that_a_start_would_find(tmp_path: Path) -> None:
    (tmp_path / "admin-token").write_text("a" * 40, "ascii")

    status, [mistake, *_] = check(tmp_path, RECOLLECT_HOST="0.0.0.0", **_SIGNED)

    assert (status, "RECOLLECT_ADMIN_TOKEN is too weak" in mistake) == (2, True)


def test_the_check_says_of_a_token_that_is_none_what_to_do_and_quotes_nothing_of_it(tmp_path: Path) -> None:
    file = tmp_path / "admin-token"
    file.write_text("schlüssel-hush", "utf-8")

    status, [mistake, *_] = check(tmp_path)

    assert (status, mistake.startswith(f"RECOLLECT_DATA_DIR: {file} holds no admin token")) == (2, True)
    assert "hush" not in mistake
    served = recollect("serve", RECOLLECT_DATA_DIR=str(tmp_path), RECOLLECT_PORT="0", **ALL_IS_WELL)
    assert str(served.exception) == mistake


def test_the_check_leaves_nothing_in_the_folder_that_it_tries_and_makes_none(tmp_path: Path) -> None:
    assert [check(folder)[0] for folder in (tmp_path, tmp_path / "new")] == [0, 0]

    assert list(tmp_path.iterdir()) == []


def test_the_check_says_what_is_worse_without_a_folder_where_a_start_goes_on(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    none_needed = _TOKEN | {"RECOLLECT_DATABASE_URL": "postgresql://127.0.0.1:9/none"}

    status, [remark, verdict] = check(tmp_path / "file", "--offline", **none_needed)

    assert status == 0
    assert remark.startswith(f"RECOLLECT_DATA_DIR: {tmp_path / 'file'} is no folder; a start goes on")
    assert verdict.startswith("A start has all it needs.")


async def test_the_check_asks_the_provider_for_the_sign_in(tmp_path: Path) -> None:
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


def test_the_check_reads_the_memories_for_everybody(tmp_path: Path) -> None:
    file = tmp_path / "global-memories.txt"
    file.write_bytes("Der B\u00e4cker \u00f6ffnet um sieben.".encode("latin-1"))

    status, [mistake, *_] = check(tmp_path)

    assert (status, f"{file} can't be read: UnicodeDecodeError" in mistake) == (2, True)


PUBLISHED = {"RECOLLECT_PUBLIC_URL": "https://chat.example.org"}
HUSH = {"RECOLLECT_UPSTREAM_API_KEY": "hush"}
ANOTHER = {"RECOLLECT_UPSTREAMS": '[{"name": "b", "url": "http://b", "path": "/b", "api_key": "hush"}]'}


@table(
    ("variables", "reminders"),
    [
        *((PUBLISHED | each, 1) for each in (HUSH, ANOTHER)),
        *((each, 0) for each in (PUBLISHED | HUSH | {"RECOLLECT_REQUIRE_IDENTITY": "true"}, PUBLISHED, HUSH)),
    ],
)
def test_the_check_warns_of_a_shared_key(tmp_path: Path, variables: dict[str, str], reminders: int) -> None:
    status, lines = check(tmp_path, **variables)

    assert status == 0
    assert sum("RECOLLECT_REQUIRE_IDENTITY" in line for line in lines) == reminders


def test_the_check_shows_no_secret_and_says_who_can_read_the_file(tmp_path: Path) -> None:
    file = write_settings(tmp_path, 'admin_token = "  "\nshared_secret = "hush-1"')
    file.chmod(0o644)

    status, lines = check(tmp_path, RECOLLECT_UPSTREAM="http://anna:hush-2@llm/v1")

    assert status == 2
    assert "hush" not in " ".join(lines)
    assert f"{file} holds admin_token, shared_secret and others can read it: chmod 600 {file}" in lines


def test_the_check_is_there_for_programs_too(tmp_path: Path) -> None:
    status, lines = check(tmp_path, "--json", RECOLLECT_PORT="-1", RECOLLECT_PROT="1")

    told = json.loads("".join(lines))
    assert told["mistakes"] == ["RECOLLECT_PORT: has to be 0 or more (it is -1, from the environment)"]
    assert [line.partition(":")[0] for line in told["remarks"]] == ["RECOLLECT_PROT sets nothing"]
    assert (status, told["database"]) == (2, None)


@pytest.fixture
def away() -> Iterator[str]:
    """The address of a database that is not running."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        yield f"postgresql://anna:{PASSWORD}@127.0.0.1:{taken.getsockname()[1]}/memories"


def test_a_database_that_a_start_takes_is_told_with_its_versions(own_dsn: str, tmp_path: Path) -> None:
    status, [*_, versions, verdict] = check(tmp_path, RECOLLECT_DATABASE_URL=own_dsn)

    assert (status, verdict[:26]) == (0, "A start has all it needs. ")
    assert versions.startswith("Database postgresql://")
    assert "pgvector 0." in versions


def test_a_database_that_is_merely_away_is_a_remark_and_offline_none(away: str, tmp_path: Path) -> None:
    status, [remark, *rest] = check(tmp_path, RECOLLECT_DATABASE_URL=away)
    _, offline = check(tmp_path, "--offline", RECOLLECT_DATABASE_URL=away)

    assert (status, "nothing listens at its address" in remark, len(offline)) == (0, True, 1)
    assert PASSWORD not in f"{remark}{rest}"


def test_a_database_that_a_start_would_not_take_ends_with_2(empty_dsn: str, tmp_path: Path) -> None:
    none = empty_dsn.replace("recollect_test_", "no_such_database_")
    cut_short = f"postgresql://anna:123#{PASSWORD}@127.0.0.1:9/d"

    for url, told in ((none, "RECOLLECT_DATABASE_URL: "), (cut_short, "cuts its address short")):
        status, lines = check(tmp_path, RECOLLECT_DATABASE_URL=url)
        assert (status, told in lines[0], len(lines)) == (2, True, 3)
        assert not [line for line in lines if PASSWORD in line or "123" in line]


@table("url", ["", "memory:"])
def test_an_embedded_database_is_brought_along_by_a_start(tmp_path: Path, url: str) -> None:
    status, lines = check(tmp_path, RECOLLECT_DATABASE_URL=url)

    assert (status, [line for line in lines if "DATABASE" in line or "Database" in line]) == (0, [])
