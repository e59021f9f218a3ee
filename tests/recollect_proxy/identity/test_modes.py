"""Each mode believes what is proven, refuses what is not, and passes over what is none of its business."""

import json
from pathlib import Path
from typing import Any

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import rsa
from jwt.algorithms import RSAAlgorithm
from structlog.testing import capture_logs
from tests.recollect_proxy.settings import proxy_settings
from tests.support.tables import table

from recollect.errors import ConfigurationError
from recollect.model import Skip
from recollect_proxy.identity.api_key import hash_of, read_key_file
from recollect_proxy.identity.caller import Claim
from recollect_proxy.identity.plain_header import PlainHeader
from recollect_proxy.identity.signed_token import OpenWebUIToken, ProviderToken
from recollect_proxy.identity.user_and_chat import make_identity
from recollect_proxy.web.asgi import Headers

SECRET = "5f0c9a1be2d347869c1d0f6a7b8e4c23"
OTHER_SECRET = "a1b2c3d4e5f60718293a4b5c6d7e8f90"
NOW = 1_900_000_000
REFUSED = Claim(None)
NEAR, FAR = "10.1.2.3", "192.0.2.7"
TOKENS = OpenWebUIToken(SECRET, header="x-openwebui-user-jwt")


@pytest.fixture(autouse=True)
def _clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """The token's clock stands still."""

    class Still(jwt.api_jwt.datetime):  # type: ignore[name-defined, misc] # the module's own import
        @classmethod
        def now(cls, tz: Any = None) -> Any:
            return cls.fromtimestamp(NOW, tz)

    monkeypatch.setattr(jwt.api_jwt, "datetime", Still)


def openwebui(secret: str = SECRET, algorithm: str = "HS256", **changed: Any) -> str:
    claims = {"sub": "anna", "iss": "open-webui", "iat": NOW, "exp": NOW + 300, "role": "user"} | changed
    return jwt.encode({k: v for k, v in claims.items() if v is not None}, secret, algorithm=algorithm)


def signed(token: str, *more: tuple[bytes, bytes]) -> Headers:
    return [(b"x-openwebui-user-jwt", token.encode()), *more]


# -- openwebui-jwt ---------------------------------------------------------------------------------


BY_OPENWEBUI = Claim("anna", by_openwebui=True)
UNPROVEN = (
    openwebui(OTHER_SECRET),
    openwebui(exp=NOW - 31),
    openwebui(iat=NOW + 31),
    *(openwebui(iss=each) for each in ("somebody", None)),
    openwebui(exp=None),
    *(openwebui(sub=each) for each in (None, "", "a\0b", "*", "a" * 257)),
    openwebui(algorithm="HS512"),
    jwt.encode({"sub": "anna", "iss": "open-webui", "iat": NOW, "exp": NOW + 300}, "", algorithm="none"),
    *("no.token.atall", "\u00e9", ""),
)


@table(
    ("headers", "claim"),
    [
        (signed(openwebui()), BY_OPENWEBUI),
        (signed(openwebui(iat=NOW + 20, exp=NOW - 20)), BY_OPENWEBUI),  # clocks may differ a little
        (
            signed(openwebui(name="Anna  Almeida"), (b"x-openwebui-user-name", b"Eve")),
            Claim("anna", by_openwebui=True, name="Anna Almeida"),
        ),
        *((signed(each), REFUSED) for each in UNPROVEN),
        (signed(openwebui()) * 2, REFUSED),
        # the plain headers that OpenWebUI falls back to
        *(([(each, b"anna")], REFUSED) for each in (b"X-OpenWebUI-User-Id", b"x-openwebui-user-email")),
        ([(b"authorization", b"Bearer k")], None),
    ],
)
def test_a_header_names_its_user_if_it_is_rightly_signed(headers: Headers, claim: Claim | None) -> None:
    assert TOKENS.claim(headers, FAR) == claim


def test_how_much_clocks_may_differ_can_be_less() -> None:
    strict = OpenWebUIToken(SECRET, header="x-openwebui-user-jwt", leeway=5)
    assert strict.claim(signed(openwebui(iat=NOW + 20, exp=NOW - 20)), FAR) == REFUSED


@pytest.mark.parametrize(
    ("sent", "name"),
    [
        ([b"Z%C3%A9%20Almeida"], "Zé Almeida"),
        ([b"a\nb" + b"x" * 200], "a b" + "x" * 97),
        ([b"{{USER_NAME}}"], ""),
        ([b"Anna", b"Ben"], ""),
        ([], ""),
    ],
)
def test_a_plain_header_gives_the_name_to_show(sent: list[bytes], name: str) -> None:
    headers = [(b"x-user", b"anna"), *((b"x-openwebui-user-name", each) for each in sent)]
    mode = PlainHeader("x-user", networks=["10.0.0.0/8"], secret_header="x-secret")

    assert mode.claim(headers, NEAR) == Claim("anna", name=name)


@table("secret", ["", "short", "a" * 64, "abababababababababababababababababab"])
def test_a_secret_that_can_be_guessed_is_refused(secret: str) -> None:
    with pytest.raises(ConfigurationError, match="too weak"):
        OpenWebUIToken(secret, header="x")


# -- header ----------------------------------------------------------------------------------------


NETWORKS = PlainHeader("x-user", networks=["10.0.0.0/8", "fd00::/8"], secret_header="x-secret")
BESIDE = PlainHeader("x-user", secret_header="x-secret", secret=SECRET)
BOTH = PlainHeader("x-user", networks=["10.0.0.0/8"], secret_header="x-secret", secret=SECRET)
ANNA, USER, RIGHT = Claim("anna"), (b"x-user", b"anna"), (b"x-secret", SECRET.encode())


@table(
    ("mode", "headers", "peer", "claim"),
    [
        *((NETWORKS, [USER], each, ANNA) for each in (NEAR, "fd00::1%eth0", "::ffff:10.1.2.3")),
        *((NETWORKS, [USER], each, REFUSED) for each in (FAR, "::1", None, "", "unix:")),
        (NETWORKS, [], NEAR, None),
        (BESIDE, [USER, RIGHT], FAR, ANNA),
        *((BESIDE, [USER, (b"x-secret", each)], FAR, REFUSED) for each in (b"no", b"\xff")),
        *((BESIDE, each, FAR, REFUSED) for each in ([USER], [USER, RIGHT, RIGHT])),
        (BOTH, [USER, RIGHT], NEAR, ANNA),
        (BOTH, [USER, RIGHT], FAR, REFUSED),
        (BOTH, [USER], NEAR, REFUSED),
    ],
)
def test_a_plain_header_is_believed_from_a_trusted_network_and_beside_the_shared_secret_alone(
    mode: PlainHeader, headers: Headers, peer: str | None, claim: Claim | None
) -> None:
    assert mode.claim(headers, peer) == claim


OF_OPENWEBUI = [(b"X-OpenWebUI-User-" + name, b"anna") for name in (b"Id", b"Name", b"Email", b"Role")]


def test_who_names_a_user_in_all_of_openwebuis_headers_is_openwebui() -> None:
    mode = PlainHeader("x-openwebui-user-id", secret_header="x-secret")
    renamed = PlainHeader("x-user", secret_header="x-secret")

    assert mode.claim(OF_OPENWEBUI, NEAR) == Claim("anna", by_openwebui=True, name="anna")
    for left_out in OF_OPENWEBUI[1:]:
        claim = mode.claim([each for each in OF_OPENWEBUI if each != left_out], NEAR)
        assert claim is not None
        assert (claim.user_id, claim.by_openwebui) == ("anna", False)
    assert renamed.claim([*OF_OPENWEBUI, (b"x-user", b"bob")], NEAR) == Claim("bob", name="anna")


# -- api-key ---------------------------------------------------------------------------------------


@pytest.fixture
def keys(tmp_path: Path) -> Path:
    path = tmp_path / "keys"
    path.write_text(
        f"# people\n\n{hash_of(b'key-of-anna')}  anna\n{hash_of(b'key-of-bob')} bob b\u00e4r\n"
        f"{hash_of(b'key-of-coder')}/agent:my%20coder anna\n"
    )
    return path


@table(
    ("headers", "claim"),
    [
        ([(b"authorization", b"Bearer key-of-anna")], Claim("anna")),
        ([(b"authorization", b"bearer  key-of-bob")], Claim("bob b\u00e4r")),
        ([(b"x-api-key", b"key-of-anna")], Claim("anna")),
        ([(b"api-key", b"key-of-anna")], Claim("anna")),
        ([(b"api-key", b"key-of-coder")], Claim("anna", project="agent:my coder")),
        ([(b"authorization", b"Bearer somebody-elses")], None),
        ([(b"authorization", hash_of(b"key-of-anna").encode())], None),
        ([(b"authorization", b"Bearer " + hash_of(b"key-of-anna").encode())], None),
        ([(b"authorization", b"Basic key-of-anna")], None),
        ([], None),
        ([(b"authorization", b"Bearer key-of-anna"), (b"x-api-key", b"key-of-bob")], REFUSED),
        ([(b"authorization", b"Bearer key-of-anna")] * 2, REFUSED),
    ],
)
def test_a_key_names_its_user(keys: Path, headers: Headers, claim: Claim | None) -> None:
    identity = make_identity(proxy_settings(identity="api-key", api_keys=keys))
    caller = identity.identify(headers, FAR)

    if claim is None:
        assert caller.skip is Skip.NO_IDENTITY
    elif claim == REFUSED:
        assert caller.skip is Skip.BAD_IDENTITY
    else:
        assert (caller.user_id, caller.project) == (claim.user_id, claim.project)


@table(
    "text",
    [
        "sk-plain anna\n",
        f"{hash_of(b'a')}\n",
        f"{hash_of(b'a')[:-1]} anna\n",
        f"{hash_of(b'a')} anna\n" * 2,
        f"{hash_of(b'a')} *\n",
        f"{hash_of(b'a')}/ anna\n",
        f"{hash_of(b'a')}/boat%0A anna\n",
        f"{hash_of(b'a')} anna\n{hash_of(b'a')}/boat anna\n",
    ],
)
def test_a_line_that_makes_no_sense_is_named_without_its_words(tmp_path: Path, text: str) -> None:
    path = tmp_path / "keys"
    path.write_text(text)

    with pytest.raises(ConfigurationError, match=r"line \d of") as raised:
        read_key_file(path)

    assert "anna" not in str(raised.value)


def test_a_key_file_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="can't be read"):
        read_key_file(tmp_path / "none")


# -- oidc ------------------------------------------------------------------------------------------

KEY = rsa.generate_private_key(public_exponent=65537, key_size=2048)
OTHER_KEY = rsa.generate_private_key(public_exponent=65537, key_size=2048)


@pytest.fixture
def jwks(tmp_path: Path) -> Path:
    path = tmp_path / "jwks.json"
    keys = [
        RSAAlgorithm.to_jwk(key.public_key(), as_dict=True) | {"kid": kid, "alg": "RS256"}
        for key, kid in ((KEY, "1"), (OTHER_KEY, "2"))
    ]
    path.write_text(json.dumps({"keys": keys}))
    return path


def provided(key: Any = KEY, algorithm: str = "RS256", kid: str | None = "1", **changed: Any) -> bytes:
    claims = {"sub": "anna", "iss": "https://id.example", "aud": "recollect", "exp": NOW + 60} | changed
    kept = {k: v for k, v in claims.items() if v is not None}
    return jwt.encode(kept, key, algorithm=algorithm, headers={"kid": kid} if kid else None).encode()


def provider(jwks: Path, **changed: Any) -> ProviderToken:
    settings = {"issuer": "https://id.example", "audience": "recollect", "user_claim": "sub"} | changed
    return ProviderToken(jwks, **settings)


def test_a_providers_token_names_the_user(jwks: Path) -> None:
    assert provider(jwks).claim([(b"authorization", b"Bearer " + provided())], FAR) == Claim("anna")
    by_mail = provider(jwks, user_claim="email")
    mail = provided(email="Anna@Example.org", email_verified=True)
    assert by_mail.claim([(b"authorization", b"Bearer " + mail)], FAR) == Claim("anna@example.org")
    unverified = provided(email="anna@example.org")
    assert by_mail.claim([(b"authorization", b"Bearer " + unverified)], FAR) == REFUSED


def test_a_providers_token_that_proves_nothing_is_refused(jwks: Path) -> None:
    public = json.loads(jwks.read_text())["keys"][0]["n"]
    tokens = [
        provided(OTHER_KEY),
        provided(kid="3"),
        provided(kid=None),
        provided(exp=NOW - 31),
        provided(exp=None),
        provided(iss="https://evil.example"),
        provided(aud="somebody"),
        provided(aud=None),
        provided(sub=None),
        provided(sub=7),
        provided(public, algorithm="HS256"),
        b"a.b.c",
    ]

    for token in tokens:
        assert provider(jwks).claim([(b"authorization", b"Bearer " + token)], FAR) == REFUSED
    twice = [(b"authorization", b"Bearer " + provided())] * 2
    assert provider(jwks).claim(twice, FAR) == REFUSED


def test_an_api_key_is_no_providers_token(jwks: Path) -> None:
    for headers in ([], [(b"authorization", b"Bearer sk-abc")], [(b"authorization", b"Basic a.b.c")]):
        assert provider(jwks).claim(headers, FAR) is None


@table("text", ["", "{}", '{"keys": []}', '{"keys": [{"kty": "oct", "k": "AAAA"}]}'])
def test_a_key_set_without_a_usable_key_is_an_error(tmp_path: Path, text: str) -> None:
    path = tmp_path / "jwks.json"
    path.write_text(text)

    with pytest.raises(ConfigurationError, match=r"jwks\.json"):
        provider(path)


# -- several, and what is unsafe -------------------------------------------------------------------


def test_the_first_mode_that_applies_decides_and_never_falls_through(keys: Path) -> None:
    identity = make_identity(
        proxy_settings(
            identity="openwebui-jwt,api-key,header",
            openwebui_jwt_secret=SECRET,
            api_keys=keys,
            user_header="x-user",
        )
    )
    key, header = (b"authorization", b"Bearer key-of-bob"), (b"x-user", b"carl")

    assert identity.identify(signed(openwebui(), key, header), FAR).user_id == "anna"
    assert identity.identify(signed("broken", key, header), FAR).skip is Skip.BAD_IDENTITY
    assert identity.identify([(b"x-openwebui-user-id", b"anna"), key], FAR).skip is Skip.BAD_IDENTITY
    assert identity.identify([key, header], FAR).user_id == "bob b\u00e4r"
    assert identity.identify([header], FAR).user_id == "carl"
    assert identity.identify(signed(openwebui()), FAR).by_openwebui
    assert not identity.identify([key, header], FAR).by_openwebui
    assert identity.identify([], FAR).skip is Skip.NO_IDENTITY


def test_the_log_says_once_that_a_user_is_not_proven() -> None:
    identity = make_identity(proxy_settings(identity="openwebui-jwt", openwebui_jwt_secret=SECRET))

    with capture_logs() as lines:
        identity.identify([], FAR)
        for token in (openwebui(OTHER_SECRET), "broken"):
            identity.identify(signed(token), FAR)

    [line] = lines
    assert line["event"] == "user_id_rejected"
    assert "`recollect doctor` says what is wrong" in line["detail"]


@table(
    ("settings", "said"),
    [
        ({"host": "0.0.0.0"}, "RECOLLECT_TRUSTED_NETWORKS"),
        ({"host": "example.org"}, "RECOLLECT_TRUSTED_NETWORKS"),
        ({"host": "0.0.0.0", "shared_secret": "weak"}, "RECOLLECT_SHARED_SECRET is too weak"),
        ({"trusted_networks": "10.0.0.1/8"}, "RECOLLECT_TRUSTED_NETWORKS"),
        ({"identity": "openwebui-jwt"}, "RECOLLECT_OPENWEBUI_JWT_SECRET"),
        ({"identity": "api-key"}, "recollect key USER"),
        ({"identity": "oidc"}, "RECOLLECT_OIDC_ISSUER.*jwks.json"),
        ({"identity": " , "}, "RECOLLECT_IDENTITY"),
    ],
)
def test_an_unsafe_configuration_is_refused_at_start(settings: dict[str, Any], said: str) -> None:
    with pytest.raises(ConfigurationError, match=said):
        make_identity(proxy_settings(**settings))


@table(
    "settings",
    [
        {"host": "localhost"},
        {"host": "::1"},
        {"host": "0.0.0.0", "trusted_networks": "10.0.0.0/8, 172.16.0.0/12"},
        {"host": "0.0.0.0", "shared_secret": SECRET},
        {"host": "0.0.0.0", "identity": "openwebui-jwt", "openwebui_jwt_secret": SECRET},
    ],
)
def test_a_safe_configuration_is_not(settings: dict[str, Any]) -> None:
    assert make_identity(proxy_settings(**settings))
