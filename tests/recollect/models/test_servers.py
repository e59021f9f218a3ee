"""Which server is whose, by its address."""

from typing import Any

import pytest
from pydantic_settings import SettingsConfigDict

from recollect.assembly.servers import is_near, speaks_mistral, yields_to_chats
from recollect.settings import EngineSettings

HOME, HOSTED = "http://127.0.0.1:11434/v1", "https://api.openai.com/v1"


class Given(EngineSettings):
    model_config = SettingsConfigDict(env_prefix="no such variable begins like this ")


def yields(upstream: str | None, **settings: Any) -> bool:
    return yields_to_chats(Given(**settings), upstream)


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
def test_a_server_is_near_by_its_address_or_its_name(base_url: str, near: bool) -> None:  # noqa: FBT001
    assert is_near(base_url) is near


def test_mistrals_own_server_is_asked_by_its_own_sdk() -> None:
    assert speaks_mistral(Given(extraction_base_url="https://api.mistral.ai"))
    assert speaks_mistral(Given(extraction_base_url="https://api.mistral.ai/v1/"))
    assert not speaks_mistral(Given())
    assert not speaks_mistral(Given(extraction_base_url=HOSTED))


def test_the_llm_at_home_that_extracts_too_is_left_to_its_chats() -> None:
    assert yields(HOME)
    assert yields(HOME, extraction_base_url="http://localhost:11434/another/v1")
    assert yields(HOME, extraction_base_url=HOME, extraction_sdk="mistral")


def test_one_that_only_extracts_is_not() -> None:
    assert not yields(HOME, extraction_base_url="http://127.0.0.1:11435/v1")
    assert not yields(HOME, extraction_base_url="https://127.0.0.1:11434/v1")
    assert not yields(HOME, extraction_sdk="mistral")
    assert not yields(HOSTED, extraction_base_url=HOME)


def test_a_hosted_one_answers_many_at_once() -> None:
    assert not yields(HOSTED)
    assert yields(HOSTED, formation_yields="always")
    assert yields(HOSTED, formation_yields="always", extraction_base_url="https://api.openai.com:443/v2")
    assert not yields(HOME, formation_yields="never")


def test_where_nobody_knows_who_answers_the_chats_one_that_is_near_may_be() -> None:
    assert yields(None, extraction_base_url=HOME)
    assert not yields(None, extraction_base_url=HOSTED)
    assert not yields(None)
