import pytest
from pydantic import ValidationError
from tests.recollect_proxy.settings import proxy_settings
from tests.support.tables import table

from recollect_proxy.settings.proxy_settings import ProxySettings


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
        "",
        "127.0.0.1:11434/v1",
        "ftp://llm/v1",
        "http://",
        "http:///v1",
        "http://llm/v1?a=1",
        "http://llm/v1#a",
        "http://h:99999/v1",
        "http://h:abc/v1",
        "http://a..b/v1",
    ],
)
def test_what_is_no_base_url_is_refused(given: str) -> None:
    with pytest.raises(ValidationError, match="upstream"):
        proxy_settings(upstream=given)


def test_a_header_is_named_in_any_case() -> None:
    assert proxy_settings(user_header=" X-User-Id ").user_header == "x-user-id"


@table("given", ["", " ", "x user", "x:user", "x\r\nuser", "x-\u00fcser"])
@table("name", ["user_header", "session_header"])
def test_what_is_no_header_name_is_refused(name: str, given: str) -> None:
    with pytest.raises(ValidationError, match="not a header name"):
        proxy_settings(**{name: given})


def test_a_blank_admin_token_is_refused_as_anybody_could_send_it() -> None:
    with pytest.raises(ValidationError, match="admin_token"):
        proxy_settings(admin_token="  ")


def test_each_setting_is_a_variable_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RECOLLECT_UPSTREAM", "http://llm/v1")
    monkeypatch.setenv("RECOLLECT_USER_HEADER", "x-user")
    monkeypatch.setenv("RECOLLECT_DATABASE_URL", "")  # an empty variable is none
    monkeypatch.setenv("RECOLLECT_UNKNOWN", "1")

    settings = ProxySettings()  # type: ignore[call-arg]  # the variable has it

    assert settings.upstream == "http://llm/v1"
    assert settings.user_header == "x-user"
    assert settings.database_url is None


def test_secrets_are_not_shown() -> None:
    settings = proxy_settings(
        admin_token="hush-1",
        database_url="postgresql://u:hush-2@h/d",
        embedder_api_key="hush-3",
        extraction_api_key="hush-4",
        openwebui_jwt_secret="hush-5",
        shared_secret="hush-6",
        upstream_api_key="hush-7",
    )

    assert "hush" not in repr(settings)
    assert "hush" not in str(settings)


def test_settings_do_not_change() -> None:
    with pytest.raises(ValidationError, match="frozen"):
        proxy_settings().port = 1


def test_a_key_has_no_place_in_the_upstreams_address() -> None:
    with pytest.raises(ValidationError, match="no user and password"):
        proxy_settings(upstream="http://user:secret@host/v1")
