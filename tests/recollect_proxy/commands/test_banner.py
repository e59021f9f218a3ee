"""The block that a start prints: where to go, what was set, and no secret that was shown before."""

from pathlib import Path
from typing import Any

from tests.recollect_proxy.settings import proxy_settings
from tests.support.tables import table

from recollect import __version__
from recollect.errors import StoreUnavailableError
from recollect_proxy.app import App
from recollect_proxy.commands.banner import banner
from recollect_proxy.settings.admin_token import AdminToken
from recollect_proxy.settings.proxy_settings import ProxySettings

SECRET = "0123456789abcdef0123456789abcdef"
SECRETS = tuple(
    name for name, field in ProxySettings.model_fields.items() if "SecretStr" in str(field.annotation)
)
KNOWN = AdminToken(SECRET, Path("/data/admin-token"))


def printed(settings: ProxySettings, token: AdminToken = KNOWN, *, away: bool = False) -> dict[str, str]:
    """Return the banner's rows by their names."""
    app = App(settings, admin_token=token.value)
    if away:
        app.engine.failure = StoreUnavailableError()
    title, *rows = banner(settings, app, 8080, token).splitlines()
    assert title == f"Recollect {__version__}"
    return {row[2:12].strip(): row[13:] for row in rows}


@table("identity", ["openwebui-jwt,header", "api-key"])
def test_a_secret_is_never_printed(identity: str, tmp_path: Path) -> None:
    (tmp_path / "keys").touch()
    urls = {"database_url": f"postgresql://u:{SECRET}@h/d", "extraction_base_url": f"http://u:{SECRET}@e/v1"}
    given: dict[str, Any] = dict.fromkeys(SECRETS, SECRET) | urls | {"extraction_model": "m"}
    given |= {"identity": identity, "api_keys": str(tmp_path / "keys")}

    rows = printed(proxy_settings(**given))

    assert len(SECRETS) >= 7
    assert not any(SECRET in row for row in rows.values())
    assert (str(tmp_path / "keys") in rows["identity"]) == (identity == "api-key")


def test_a_token_is_shown_only_when_it_is_new_with_the_file_that_keeps_it() -> None:
    file = Path("/data/admin-token")
    new = printed(proxy_settings(), AdminToken(SECRET, file, is_new=True))["token"]
    nowhere = printed(proxy_settings(data_dir=":memory:"), AdminToken(SECRET, is_new=True))["token"]

    assert (SECRET in new, str(file) in new) == (True, True)
    assert (SECRET in nowhere, "None" in nowhere) == (True, False)
    for known in (AdminToken(SECRET, file), AdminToken(SECRET)):
        assert "token" not in printed(proxy_settings(), known)


def at_path(path: str, upstream: str = "http://127.0.0.1:9") -> dict[str, Any]:
    return {"upstream": upstream, "upstreams": [{"path": path}]}


TWO_WAYS = {"identity": "openwebui-jwt,header", "openwebui_jwt_secret": SECRET, "user_header": "x-user"}
EXTRACTS = {"extraction_model": "m", "extraction_base_url": "http://e/v1"}
HERE, ANY_HOST = "http://127.0.0.1:8080", {"trusted_networks": "10.0.0.0/8"}


@table(
    ("settings", "row", "said", "unsaid"),
    [
        ({"public_url": "https://memory.example.org/"}, "pages", "https://memory.example.org/memory/ui ", ""),
        ({"public_url": "https://memory.example.org/"}, "docs", "https://memory.example.org/memory/docs", ""),
        ({"public_url": "https://memory.example.org/"}, "base URL", f"{HERE}/v1 ", ""),
        ({}, "pages", f"{HERE}/memory/ui ", ""),
        ({}, "upstream", "http://127.0.0.1:9/v1", ""),
        (at_path("/"), "base URL", f"{HERE}/v1 ", ""),
        (at_path("/", "http://127.0.0.1:9/v1"), "base URL", f"{HERE} ", "/v1"),
        (at_path("/llm", "http://127.0.0.1:9/v1"), "base URL", f"{HERE}/llm ", ""),
        (at_path("/llm"), "base URL", f"{HERE}/llm ", ""),
        ({"host": "localhost"}, "base URL", "http://localhost:8080/v1 ", ""),
        ({"host": "::1"}, "base URL", "http://[::1]:8080/v1 ", ""),
        (ANY_HOST | {"host": "0.0.0.0"}, "base URL", f"{HERE}/v1 ", ""),
        (ANY_HOST | {"host": "::"}, "base URL", f"{HERE}/v1 ", ""),
        (ANY_HOST | {"host": "192.0.2.1"}, "base URL", "http://192.0.2.1:8080/v1 ", ""),
        ({"data_dir": "/data"}, "store", "embedded Postgres in /data", "NOT REACHABLE"),
        ({"data_dir": ":memory:"}, "store", "in memory", ":memory:"),
        ({"data_dir": "/data", "database_url": "memory:"}, "store", "in memory", "/data"),
        ({"formation": "off"}, "formation", "off|logged|RECOLLECT_RECORD=false", ""),
        ({"record": "off", "formation": "both"}, "formation", "nothing is recorded", ""),
        ({"formation": "qa_turn", "extraction_model": "m-1"}, "formation", "without a model", "m-1"),
        (EXTRACTS, "formation", "m at http://e/v1, with no key", ""),
        (EXTRACTS | {"extraction_api_key": SECRET}, "formation", "the configured key", ""),
        ({"upstream_api_key": SECRET}, "formation", "the configured key", ""),
        ({"extraction_model": "m"}, "formation", "m at the upstream, with the request's own key", ""),
        ({"worker": "elsewhere", "database_url": "postgresql://h/d"}, "formation", "the worker's own", ""),
        ({"embedder": "openai:e"}, "embedder", "openai:e|local:multilingual-e5-small", ""),
        ({"trusted_networks": "10.0.0.0/8,fd00::/8"}, "identity", "10.0.0.0/8|fd00::/8", "whoever"),
        ({"shared_secret": SECRET}, "identity", "x-recollect-secret", "whoever"),
        ({}, "identity", "whoever", ""),
        (TWO_WAYS, "identity", "x-openwebui-user-jwt|x-user", ""),
    ],
)
def test_a_row_says_what_was_set(settings: dict[str, Any], row: str, said: str, unsaid: str) -> None:
    told = printed(proxy_settings(**settings))[row]

    assert all(each in told for each in said.split("|"))
    assert not (unsaid and unsaid in told)


def test_a_database_that_is_away_is_told_of() -> None:
    assert "NOT REACHABLE" in printed(proxy_settings(), away=True)["store"]
