import re
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


def test_it_says_what_to_put_where_and_sends_people_to_the_address_that_their_browsers_reach(
    tmp_path: Path,
) -> None:
    for origin, settings in (
        ("http://127.0.0.1:8080", proxy_settings(data_dir=tmp_path)),
        (
            "https://memory.example.org",
            proxy_settings(public_url="https://memory.example.org/", data_dir=tmp_path),
        ),
    ):
        rows = printed(settings)

        assert rows["base URL"].split()[0] == "http://127.0.0.1:8080/v1"
        assert rows["pages"].split()[0] == f"{origin}/memory/ui"
        assert rows["docs"] == f"{origin}/memory/docs"
        assert rows["upstream"] == "http://127.0.0.1:9/v1"
        assert str(tmp_path) in rows["store"]


@table(
    ("upstream", "path", "base"),
    [
        ("http://127.0.0.1:9", "/", "/v1"),
        ("http://127.0.0.1:9/v1", "/", ""),
        ("http://127.0.0.1:9/v1", "/llm", "/llm"),
        ("http://127.0.0.1:9", "/llm", "/llm"),
    ],
)
def test_the_base_url_is_where_the_upstreams_api_is(upstream: str, path: str, base: str) -> None:
    rows = printed(proxy_settings(upstream=upstream, upstreams=[{"path": path}]))
    assert rows["base URL"].split()[0] == f"http://127.0.0.1:8080{base}"


@table("identity", ["openwebui-jwt,header", "api-key"])
def test_a_secret_is_never_printed(identity: str, tmp_path: Path) -> None:
    (tmp_path / "keys").touch()
    given: dict[str, Any] = dict.fromkeys(SECRETS, SECRET) | {
        "database_url": f"postgresql://u:{SECRET}@h/d",
        "identity": identity,
        "api_keys": str(tmp_path / "keys"),
        "extraction_base_url": f"http://u:{SECRET}@e/v1",
        "extraction_model": "m",
    }

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


def test_a_database_that_is_away_or_gone_with_the_process_is_told_of() -> None:
    assert "NOT REACHABLE" in printed(proxy_settings(), away=True)["store"]
    assert "NOT REACHABLE" not in printed(proxy_settings())["store"]
    for settings in ({"data_dir": ":memory:"}, {"data_dir": "/data", "database_url": "memory:"}):
        row = printed(proxy_settings(**settings))["store"]
        assert ("in memory" in row, "/data" in row) == (True, False)


@table(
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


@table(
    ("settings", "row", "named"),
    [
        ({"formation": "off"}, "formation", ("off", "logged", "RECOLLECT_RECORD=false")),
        ({"record": "off", "formation": "both"}, "formation", ("nothing is recorded",)),
        (
            {"extraction_model": "m-1", "extraction_base_url": "http://e/v1"},
            "formation",
            ("m-1", "http://e/v1"),
        ),
        ({"embedder": "openai:e"}, "embedder", ("openai:e", "local:multilingual-e5-small")),
        ({"trusted_networks": "10.0.0.0/8,fd00::/8"}, "identity", ("10.0.0.0/8", "fd00::/8")),
        ({"shared_secret": SECRET}, "identity", ("x-recollect-secret",)),
        (
            {"identity": "openwebui-jwt,header", "openwebui_jwt_secret": SECRET, "user_header": "x-user"},
            "identity",
            ("x-openwebui-user-jwt", "x-user"),
        ),
    ],
)
def test_what_was_set_is_named(settings: dict[str, str], row: str, named: tuple[str, ...]) -> None:
    said = printed(proxy_settings(**settings))[row]

    assert all(each in said for each in named)


def test_who_is_believed_and_whose_key_is_used_is_told_apart() -> None:
    asked = {"extraction_model": "m", "extraction_base_url": "http://e/v1"}
    by_worker = {"extraction_model": "m", "worker": "elsewhere", "database_url": "postgresql://h/d"}
    told = [asked, asked | {"extraction_api_key": SECRET}, {"extraction_model": "m"}, by_worker]
    assert len({printed(proxy_settings(**each))["formation"] for each in told}) == len(told)
    assert "configured key" in printed(proxy_settings(upstream_api_key=SECRET))["formation"]

    open_to_all, with_secret = printed(proxy_settings()), printed(proxy_settings(shared_secret=SECRET))
    assert "whoever" in open_to_all["identity"]
    assert "whoever" not in with_secret["identity"]

    asks_none = printed(proxy_settings(formation="qa_turn", extraction_model="m"))["formation"]
    assert not re.search(r"\bm\b", asks_none)
