"""`recollect config`: what is set, and where it is from."""

import json
import re
from pathlib import Path

import pytest
from structlog.testing import capture_logs
from tests.recollect_proxy.commands.command_line import recollect

from recollect.settings import EngineSettings, is_setting
from recollect_proxy.commands.config import FILES, GROUPS, markdown
from recollect_proxy.settings.command_settings import settings_of_start
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


def test_five_settings_come_first_and_six_groups_follow() -> None:
    assert [len(GROUPS), len(GROUPS["The five to know first"].split())] == [7, 5]


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
    given = {
        "RECOLLECT_DATA_DIR": str(tmp_path),
        "RECOLLECT_IDENTITY": "api-key,header",
        "recollect_user_cap": "7",
        "RECOLLECT_PORT": "",
        "RECOLLECT_TRUSTED_NETWORK": "9",
    }

    shown = json.loads(recollect("config", "--json", **given).stdout)

    settings = shown["settings"]
    assert settings["user_cap"] == {"value": 7, "source": "environment"}
    assert settings["identity"] == {"value": ["api-key", "header"], "source": "environment"}
    assert settings["port"] == {"value": 8787, "source": "default"}
    assert settings["upstream"] == {"value": None, "source": "not set, and needed"}
    assert settings["admin_token"] == {"value": "(hidden)", "source": f"file {tmp_path / 'admin-token'}"}
    assert shown["files"] == dict.fromkeys(FILES, "none") | {
        "admin-token": "found",
        "instructions.toml": "found",
    }
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
    settings = [
        json.loads(recollect("config", "--json", **env).stdout)["settings"] for env in (given | styles, again)
    ]
    assert [{name: each["value"] for name, each in one.items()} for one in settings] == [
        {name: each["value"] for name, each in settings[0].items()}
    ] * 2


def test_no_secret_is_shown_in_any_way() -> None:
    for how in ((), ("--json",)):
        shown = recollect("config", *how, **SECRETS)

        assert shown.exit_code == 0
        assert "hush" not in shown.output
        assert "http://host:81/v1" in shown.output


def test_a_start_tells_once_of_all_that_sets_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RECOLLECT_USERCAP", "hush")
    monkeypatch.setenv("RECOLLECT_THE_CAT", "hush")

    with capture_logs() as logs:
        settings_of_start(upstream="http://llm/v1")

    [told] = [line for line in logs if line["event"] == "variables_ignored"]
    assert told["remedy"] == {
        "RECOLLECT_THE_CAT": "there is no such setting; remove it",
        "RECOLLECT_USERCAP": "there is no such setting; did you mean RECOLLECT_USER_CAP?",
    }
    assert "hush" not in str(told)
