"""Who wants to be taken for somebody else, and where what proves an identity must not go."""

from urllib.parse import unquote

import pytest
from tests.recollect_proxy.settings import proxy_settings
from tests.support.tables import table

from recollect.errors import ConfigurationError
from recollect_proxy.identity.api_key import ApiKey, hash_of
from recollect_proxy.identity.caller import Claim
from recollect_proxy.identity.plain_header import PlainHeader
from recollect_proxy.identity.user_and_chat import make_identity

SECRET = "5f0c9a1be2d347869c1d0f6a7b8e4c23"
REFUSED = Claim(None)
PLAIN = PlainHeader("x-user", secret_header="x-secret")
NEAR, FAR = "10.1.2.3", "192.0.2.7"


@table(
    ("headers", "believed"),
    [
        ([], True),
        ([(b"host", b"127.0.0.1:8787"), (b"origin", b"http://127.0.0.1:8787")], True),
        ([(b"host", b"h"), (b"origin", b"app://desktop")], True),
        ([(b"sec-fetch-site", b"same-origin")], True),
        ([(b"host", b"h"), (b"origin", b"https://evil.example")], False),
        ([(b"host", b"h"), (b"origin", b"null")], False),
        ([(b"sec-fetch-site", b"cross-site")], False),
        ([(b"sec-fetch-site", b"same-site")], False),
    ],
)
def test_a_page_of_another_site_is_not_believed_without_a_secret(
    headers: list[tuple[bytes, bytes]], *, believed: bool
) -> None:
    user = [(b"x-user", b"anna"), *headers]
    secret = PlainHeader("x-user", secret_header="x-secret", secret=SECRET)

    assert PLAIN.claim(user, NEAR) == (Claim("anna") if believed else REFUSED)
    assert secret.claim([*user, (b"x-secret", SECRET.encode())], NEAR) == Claim("anna")


@table(
    ("host", "believed"),
    [
        (b"127.0.0.1:8787", True),
        (b"[::1]:8787", True),
        (b"localhost:8787", True),
        (b"LOCALHOST", True),
        (b"memory.localhost", True),
        (b"recollect.lan:8787", True),
        (b"evil.example:8787", False),
        (b"evil.example", False),
        (b"127.0.0.1.evil.example", False),
        (b"localhost.evil.example", False),
        (b"not-recollect.lan", False),
        (b"[::1", False),
        (b"", False),
    ],
)
def test_a_page_whose_name_was_led_here_is_not_believed_without_a_secret(
    host: bytes, *, believed: bool
) -> None:
    """Its origin is the host that it asks, as both are evil.example."""
    known = PlainHeader("x-user", hosts=("recollect.lan",), secret_header="x-secret")
    program = [(b"x-user", b"anna"), (b"host", host), (b"sec-fetch-mode", b"cors")]
    page = [*program, (b"origin", b"http://" + host)]

    assert known.claim(page, NEAR) == (Claim("anna") if believed else REFUSED)
    assert known.claim([*program, (b"sec-fetch-site", b"same-origin")], NEAR).user_id == (  # type: ignore[union-attr]
        "anna" if believed else None
    )
    assert known.claim(program, NEAR) == Claim("anna")


@table("sent", [b"%61nna", b"ann%61", b"a%2Dn", b"a%2dn", b"%7e", b"%31", b"%5F", b"%41"])
def test_who_encodes_what_needs_none_is_nobody(sent: bytes) -> None:
    assert PLAIN.claim([(b"x-user", sent)], NEAR) == REFUSED


@table("sent", [b"a%20b", b"%C3%A9", b"a%40b", b"100%25", b"%2B", b"%5B", b"%60", b"%7B"])
def test_what_needs_an_escape_is_read(sent: bytes) -> None:
    assert PLAIN.claim([(b"x-user", b"anna" + sent)], NEAR) == Claim("anna" + unquote(sent.decode()))


def test_a_key_of_our_making_that_nobody_has_falls_through_to_no_weaker_mode() -> None:
    keys = ApiKey(lambda: {hash_of(b"recollect-a"): "anna"})

    assert keys.claim([(b"authorization", b"Bearer recollect-revoked")], FAR) == REFUSED
    assert keys.claim([(b"authorization", b"Bearer sk-of-the-llm")], FAR) is None


def test_names_with_underscores_are_stripped_as_they_are_read() -> None:
    identity = make_identity(proxy_settings(user_header="x_member", shared_secret=SECRET))
    secret = (b"x-recollect-secret", b"x_recollect_secret")

    for name in (b"x_member", b"x-member", *secret, b"x-" + b"a" * 200 + b"_b"):
        assert identity.is_ours(name) is (len(name) < 100)
    assert all(map(identity.is_secret, secret))
    assert not identity.is_secret(b"x_member")


def test_a_providers_token_is_not_sent_to_the_upstream() -> None:
    oidc = {"identity": "oidc", "oidc_issuer": "i", "oidc_audience": "a"}

    with pytest.raises(ConfigurationError, match="UPSTREAM_API_KEY"):
        make_identity(proxy_settings(**oidc))
