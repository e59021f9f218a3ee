"""Settings and their sources; several LLM servers: which requests each takes, and what each may be sent."""

import os
from pathlib import Path
from typing import Any

import msgspec
import pytest
from pydantic import SecretStr, ValidationError
from pydantic_settings import SettingsConfigDict
from tests.recollect_proxy.settings import proxy_settings
from tests.support.tables import table

from recollect.assembly.lifecycle import _as_json
from recollect.assembly.models_from_settings import is_near, speaks_mistral, yields_to_chats
from recollect.model import ALL_TOLD, NOTHING_TOLD, Kind, Strategy
from recollect.settings.engine_settings import NOWHERE, EngineInternals, EngineSettings
from recollect.settings.upstream_policies import UpstreamSettings
from recollect.settings.variables_and_file import default_data_dir, is_setting
from recollect_proxy.settings.proxy_settings import ProxyInternals, ProxySettings


def test_root_keeps_its_data_where_another_account_can_get_in(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 0)

    assert default_data_dir() == Path("/var/lib/recollect")


def test_anybody_else_keeps_it_at_home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "share"))

    folder = default_data_dir()

    assert folder.is_relative_to(tmp_path)
    assert folder.name == "recollect"


def test_a_setting_comes_from_its_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RECOLLECT_FORMATION", "qa_turn")
    monkeypatch.setenv("RECOLLECT_RECALL_GATE", "0.5")

    settings = EngineSettings()

    assert settings.formation is Strategy.QA_TURN
    assert settings.recall_gate == 0.5


def test_an_empty_text_of_the_file_sets_nothing_nor_does_what_the_code_decides(tmp_path: Path) -> None:
    (tmp_path / "recollect.toml").write_text(
        'embedder_base_url = ""\nmemory_tokens = 700\nrecall_limit = 3\n'
    )

    settings = EngineSettings(data_dir=tmp_path)

    assert (settings.embedder_base_url, settings.memory_tokens, settings.recall_limit) == (None, 700, None)


@table(
    ("name", "value"),
    [
        *(("recall_deadline_ms", 0), ("recall_gate", 1.5), ("memory_tokens", 10)),
        *(("minimum_importance", -0.1), ("formation_attempts", 0), ("formation", "sometimes")),
        ("tags", "work," + "g" * 41),
    ],
)
def test_what_makes_no_sense_is_refused(name: str, value: object) -> None:
    with pytest.raises(ValidationError, match=name):
        EngineSettings(**{name: value})  # type: ignore[arg-type]  # that is the mistake


def test_a_home_in_the_data_folder_is_the_users(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))

    assert EngineSettings(data_dir=Path("~/own")).data_dir == tmp_path / "own"
    assert EngineSettings(data_dir=Path("own")).data_dir == Path.cwd() / "own"


def test_a_variable_of_what_the_code_decides_sets_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in EngineInternals.model_fields:
        monkeypatch.setenv(f"RECOLLECT_{name.upper()}", "neither a number nor a path?")

    assert EngineSettings() == EngineSettings.model_construct(**EngineSettings().model_dump())
    assert EngineSettings().recall_limit == EngineInternals().recall_limit
    assert EngineSettings(recall_limit=3).recall_limit == 3


def test_there_are_few_settings_and_each_says_what_it_is_for() -> None:
    named = {name for name, field in ProxySettings.model_fields.items() if is_setting(field)}

    assert len(named) <= 62
    internals = EngineInternals.model_fields.keys() | ProxyInternals.model_fields.keys()
    assert not named & internals
    assert ProxySettings.model_fields.keys() - named == internals


@table("word", ["memory:", ":memory:"])
def test_in_memory_is_said_in_either_way_of_either_setting(word: str) -> None:
    assert EngineSettings(data_dir=Path(word)).data_dir == NOWHERE
    assert EngineSettings(data_dir=Path(word)).in_memory
    assert EngineSettings(database_url=SecretStr(word)).in_memory
    assert EngineSettings(database_url=SecretStr(word), data_dir=Path(word)).in_memory


def test_who_keeps_nothing_names_no_database_that_would() -> None:
    with pytest.raises(ValidationError, match="database_url") as refused:
        EngineSettings(data_dir=Path(":memory:"), database_url=SecretStr("postgresql://u:word@h/d"))

    assert "word" not in str(refused.value)


# -- several servers -------------------------------------------------------------------------------


def upstream(**own: Any) -> UpstreamSettings:
    return UpstreamSettings(**{"name": "other", "url": "http://127.0.0.1:9/v1", "models": ["x"]} | own)


def test_without_a_word_of_it_everything_may_be_sent_and_learned() -> None:
    assert UpstreamSettings().disclosure("anna") is ALL_TOLD
    assert UpstreamSettings().learns_of("anna")


def test_what_may_be_sent_follows_the_policy() -> None:
    some = upstream(memories=["fact", "summary"], shared=False).disclosure("anna")
    assert some.kinds == frozenset({Kind.FACT, Kind.SUMMARY})
    assert (some.history, some.shared) == (True, False)
    assert upstream(memories="none", history=False).disclosure("anna").is_nothing
    assert not upstream(memories="none").disclosure("anna").is_nothing
    told = upstream(history=False).disclosure("anna").kinds
    assert told is not None
    assert told.isdisjoint({Kind.SUMMARY, Kind.QA_TURN})  # they tell what was said
    assert Kind.FACT in told


def test_of_others_than_its_users_nothing_is_sent_or_learned() -> None:
    only = upstream(users=["anna", "team-*"])
    assert [only.learns_of(each) for each in ("anna", "team-1", "ben", "Anna")] == [True, True, False, False]
    assert only.disclosure("ben") == NOTHING_TOLD
    assert not upstream(learn=False).learns_of("anna")


def test_models_are_taken_by_patterns_whatever_their_case() -> None:
    takes = upstream(models=["GPT-*", "o?-mini"]).takes
    assert [takes(each) for each in ("gpt-6", "Gpt-6", "o3-mini", "o33-mini", "")] == [
        *(True, True, True, False, False)
    ]


@pytest.mark.parametrize(
    ("entries", "told"),
    [
        ("nonsense", "JSON list"),
        ([{"url": "http://h/v1", "models": ["x"]}], "name of its own"),
        ([{"name": "a", "url": "http://h/v1"}], "models, or a path"),
        ([{"name": "a", "url": "ftp://h", "models": ["x"]}], "not an http"),
        *(
            ([{"name": "a", "url": f"http://h/v1/{end}", "models": ["x"]}], "an endpoint's URL")
            for end in ("completions/", "responses", "embeddings", "messages", "api/chat", "api/generate")
        ),
        ([{"name": "a", "url": "http://u:p@h", "models": ["x"]}], "no user and password"),
        ([{"name": "a", "url": "http://h/v1/v1", "models": ["x"]}], "its path /v1 is there twice"),
        ([{"models": ["x"]}], "RECOLLECT_UPSTREAM"),
        ([{}, {"name": "b"}], "two entries have no url"),
        ([{"path": "/memory"}], "Recollect itself"),
        ([{"path": "/API/Sessions/x"}], "Recollect itself"),
        ([{"path": "local"}], "not a plain path"),
        ([{"path": "/a/../b"}], "not a plain path"),
        ([{"path": "/a//b"}], "not a plain path"),
        ([{"name": "a", "url": "http://h", "path": "/v1"}], "the default upstream's"),
        (
            [{"name": "a", "url": "http://h", "path": "/x"}, {"name": "b", "url": "http://h", "path": "/X"}],
            "path /x",
        ),
        (
            [{"name": "a", "url": "http://h", "path": "/x"}, {"name": "a", "url": "http://h", "path": "/y"}],
            "name a",
        ),
        ([{"memories": []}], "at least 1"),
        ([{"memory": "none"}], "Extra inputs"),
    ],
)
def test_a_mistake_is_told(entries: object, told: str) -> None:
    with pytest.raises(ValidationError) as error:
        proxy_settings(upstreams=entries)
    assert told in str(error.value)


def test_the_path_of_all_paths_has_an_api_below_v1() -> None:
    rooted = proxy_settings(upstream="http://h:8080", upstreams='[{"path": "/"}]')
    assert rooted.default_upstream.base == ""
    assert rooted.upstream_api == "http://h:8080/v1"
    assert proxy_settings(upstream="http://h:8080").upstream_api == "http://h:8080/v1"
    below = proxy_settings(upstream="http://h:8080", upstreams='[{"path": "/v1"}]')
    assert below.upstream_api == "http://h:8080"


def test_a_worker_process_is_told_what_the_proxy_was() -> None:
    entries = (upstream(api_key="secret", memories=["fact"], path="/"), UpstreamSettings(learn=False))
    sent = msgspec.json.decode(msgspec.json.encode(_as_json(entries)))
    received = EngineSettings(chat_upstreams=sent)
    assert received.chat_upstreams == entries


# -- whose server is whose -------------------------------------------------------------------------


HOME, HOSTED = "http://127.0.0.1:11434/v1", "https://api.openai.com/v1"


class Given(EngineSettings):
    model_config = SettingsConfigDict(env_prefix="no such variable begins like this ")


@pytest.mark.parametrize(
    ("base_url", "near"),
    [
        (HOME, True),
        ("http://localhost:8080", True),
        ("http://[::1]:8080/v1", True),
        ("http://192.168.1.20:8000/v1", True),
        ("http://100.64.3.2:8000/v1", True),
        ("http://ollama:11434/v1", True),
        ("http://nas.local/v1", True),
        ("http://gpu.corp.internal./v1", True),
        (HOSTED, False),
        ("https://8.8.8.8/v1", False),
        ("https://llm.example.com:8443/v1", False),
    ],
)
def test_a_server_is_near_by_its_address_or_its_name(base_url: str, *, near: bool) -> None:
    assert is_near(base_url) is near


def test_mistrals_own_server_is_asked_by_its_own_sdk() -> None:
    assert speaks_mistral(Given(extraction_base_url="https://api.mistral.ai"))
    assert speaks_mistral(Given(extraction_base_url="https://api.mistral.ai/v1/"))
    assert not speaks_mistral(Given())
    assert not speaks_mistral(Given(extraction_base_url=HOSTED))


@table(
    ("upstream", "given", "expected"),
    [
        # The LLM at home that extracts too is left to its chats,
        (HOME, {}, True),
        (HOME, {"extraction_base_url": "http://localhost:11434/another/v1"}, True),
        (HOME, {"formation_yields": "never"}, False),
        # and one that only extracts is not.
        (HOME, {"extraction_base_url": "http://127.0.0.1:11435/v1"}, False),
        (HOME, {"extraction_base_url": "https://127.0.0.1:11434/v1"}, False),
        (HOSTED, {"extraction_base_url": HOME}, False),
        # A hosted one answers many at once.
        (HOSTED, {}, False),
        (HOSTED, {"formation_yields": "always"}, True),
        (
            HOSTED,
            {"formation_yields": "always", "extraction_base_url": "https://api.openai.com:443/v2"},
            True,
        ),
        # Where nobody knows who answers the chats, one that is near may be it.
        (None, {"extraction_base_url": HOME}, True),
        (None, {"extraction_base_url": HOSTED}, False),
        (None, {}, False),
    ],
)
def test_a_server_that_chats_need_is_left_to_them(
    upstream: str | None, given: dict[str, Any], *, expected: bool
) -> None:
    assert yields_to_chats(Given(**given), upstream) is expected
