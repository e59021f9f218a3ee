from pathlib import Path

import pytest
from tests.recollect_proxy.settings import proxy_settings

from recollect import __version__
from recollect.errors import StoreUnavailableError
from recollect_proxy.app import App
from recollect_proxy.banner import banner
from recollect_proxy.settings import ProxySettings


def printed(settings: ProxySettings, *, token_file: Path | None = None, away: bool = False) -> dict[str, str]:
    """Return the banner's rows by their names."""
    app = App(settings, admin_token="0123456789" * 4)
    if away:
        app.engine.failure = StoreUnavailableError()
    title, *rows = banner(settings, app, 8080, token="secret-token", token_file=token_file).splitlines()
    assert title == f"Recollect {__version__}"
    return {row[2:12].strip(): row[13:] for row in rows}


def test_it_says_what_to_put_where(tmp_path: Path) -> None:
    rows = printed(proxy_settings(data_dir=tmp_path))

    assert rows == {
        "base URL": "http://127.0.0.1:8080/v1  (put this into your frontend)",
        "upstream": "http://127.0.0.1:9/v1",
        "store": f"embedded Postgres in {tmp_path}",
        "embedder": "local:all-MiniLM-L6-v2 (int8)",
        "formation": "the chat's own model at the upstream, with the request's own key",
        "identity": "x-openwebui-user-id from whoever reaches this",
        "docs": "http://127.0.0.1:8080/memory/docs",
    }


def test_a_token_is_shown_when_it_was_just_made() -> None:
    assert "secret-token" in printed(proxy_settings(), token_file=Path("/data/admin-token"))["token"]
    assert "token" not in printed(proxy_settings())


def test_a_database_of_ones_own_is_named_without_its_password() -> None:
    rows = printed(proxy_settings(database_url="postgresql://u:secret@h/d"))

    assert rows["store"] == "Postgres at RECOLLECT_DATABASE_URL"


def test_a_database_that_is_away_is_told_of() -> None:
    assert "NOT REACHABLE" in printed(proxy_settings(), away=True)["store"]


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"formation": "off"}, "off: nothing is remembered"),
        ({"formation": "qa_turn"}, "without a model: each question and its answer is kept"),
        (
            {
                "extraction_model": "m",
                "extraction_base_url": "http://e/v1",
                "extraction_api_key": "secret",
            },
            "m at http://e/v1, with the configured key",
        ),
    ],
)
def test_it_says_how_memories_are_formed(settings: dict[str, str], said: str) -> None:
    assert printed(proxy_settings(**settings))["formation"] == said


def test_another_embedder_is_named_as_it_is() -> None:
    assert printed(proxy_settings(embedder="openai:e"))["embedder"] == "openai:e"


@pytest.mark.parametrize(
    ("host", "origin"),
    [
        ("localhost", "http://localhost:8080"),
        ("::1", "http://[::1]:8080"),
        ("0.0.0.0", "http://127.0.0.1:8080"),
        ("::", "http://127.0.0.1:8080"),
        ("192.0.2.1", "http://192.0.2.1:8080"),
    ],
)
def test_the_address_is_one_that_can_be_reached(host: str, origin: str) -> None:
    rows = printed(proxy_settings(host=host, trusted_networks="10.0.0.0/8"))

    assert rows["base URL"].startswith(origin + "/v1 ")


SECRET = "0123456789abcdef0123456789abcdef"


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"trusted_networks": "10.0.0.0/8,fd00::/8"}, "x-openwebui-user-id from 10.0.0.0/8, fd00::/8"),
        ({"shared_secret": SECRET}, "x-openwebui-user-id with x-recollect-secret"),
        (
            {"identity": "openwebui-jwt,header", "openwebui_jwt_secret": SECRET, "user_header": "x-user"},
            "x-openwebui-user-jwt, signed, else x-user from whoever reaches this",
        ),
    ],
)
def test_it_says_who_is_believed(settings: dict[str, str], said: str) -> None:
    row = printed(proxy_settings(**settings))["identity"]

    assert row == said
    assert SECRET not in row


def test_it_names_the_file_of_keys(tmp_path: Path) -> None:
    (tmp_path / "keys").touch()

    row = printed(proxy_settings(identity="api-key", api_keys=str(tmp_path / "keys")))["identity"]

    assert row == f"API keys of {tmp_path / 'keys'}"
