"""The sign-in at an OpenID provider: who gets in as whom, and every answer that proves nothing."""

import hmac
import json
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import jwt
import pytest
import structlog
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from tests.recollect_proxy.memory_api.serving import TOKEN, engine_over
from tests.recollect_proxy.pages.served_pages import BASE, Pages, Visitor, says, serve_pages, text_of
from tests.recollect_proxy.settings import proxy_settings
from tests.scripted.oidc_provider import ANNAS_SUB, CLIENT_ID, CLIENT_SECRET, Key, ScriptedOidc
from tests.support.raw_client import Response, fetch
from tests.support.stores import Store
from tests.support.tables import table

from recollect.engine import system_clock
from recollect.errors import ConfigurationError
from recollect.store import Postgres
from recollect_proxy.access.access_keys import KeyRole, add_access_key
from recollect_proxy.access.authentication import make_authentication
from recollect_proxy.access.failed_attempts import FailedAttempts
from recollect_proxy.access.oidc_provider import OidcProvider, base64url, matching_key
from recollect_proxy.access.oidc_sign_in import ProviderSignIn, SignInRules
from recollect_proxy.access.principal import (
    Principal,
    TokenKind,
    administrator_of_provider,
    person_of_provider,
)
from recollect_proxy.pages.rendering import LANGUAGES, load_catalogues
from recollect_proxy.serving.ephemeral_server import serve_upstream

PUBLIC = "https://memory.example.org"
SIGNING = Key("1")
BY_NAME = SignInRules(claim="sub", administrators=("groups", "admins"))
EVIL_TOLD = "<b>said by the provider</b>"
USUAL: dict[str, Any] = {"person": {"sub": ANNAS_SUB}, "userinfo": {}, "configuration": {}, "changed": {}}
USUAL |= {"query": {}, "sign": None, "token_error": "", "reused_codes": False}


@dataclass(frozen=True)
class Together:
    """The pages, and a provider that they know."""

    pages: Pages
    oidc: ScriptedOidc

    def renew(self, rules: SignInRules = BY_NAME, **told: Any) -> None:
        """Have the provider behave as told, and as usual else, and ask it for everything again."""
        for name, value in {**USUAL, **told}.items():
            setattr(self.oidc, name, value)
        self.oidc.asked.clear()
        self.pages.authentication.provider = sign_in_at(self.oidc, rules)

    async def begun(self, visitor: Visitor, path: str = "/oidc/sign-in") -> Response:
        """Return how the provider leads a browser back that went there by the sign-in."""
        leading = await visitor.get(path)
        assert leading.status == 303, leading.body
        asked = urlsplit(location(leading))
        port = int(self.oidc.issuer.rpartition(":")[2])
        return await fetch(port, b"GET", f"{asked.path}?{asked.query}".encode())

    async def came_back(self, visitor: Visitor, answer: Response) -> Response:
        """Follow the provider's answer, with failures that were not counted before."""
        self.pages.authentication.failed = FailedAttempts()
        assert location(answer).startswith(f"{PUBLIC}{BASE}/oidc/callback?")
        return await visitor.get(location(answer).removeprefix(PUBLIC + BASE))

    async def signed_in(self, visitor: Visitor, path: str = "/oidc/sign-in") -> Response:
        return await self.came_back(visitor, await self.begun(visitor, path))


def location(response: Response) -> str:
    return (response.header(b"location") or b"").decode()


def sign_in_at(oidc: ScriptedOidc, rules: SignInRules = BY_NAME, **asked: Any) -> ProviderSignIn:
    """Return the sign-in at a provider, by a clock of its own if there is one among ``asked``."""
    how: Any = {"pages": PUBLIC + BASE, "label": "Our house", "admin_token": TOKEN}
    how["clock"] = asked.pop("clock", system_clock)
    return ProviderSignIn(OidcProvider(oidc.issuer, CLIENT_ID, CLIENT_SECRET, **asked), rules, **how)


@asynccontextmanager
async def together(postgres: Postgres, **asked: Any) -> AsyncIterator[Together]:
    oidc = ScriptedOidc()
    async with serve_upstream(oidc) as origin:
        oidc.issuer = origin
        provider = sign_in_at(oidc, **asked)
        async with serve_pages(engine_over(postgres), public_url=PUBLIC, provider=provider) as served:
            yield Together(served, oidc)


@pytest.fixture(scope="module")
async def shared_house(postgres: Postgres) -> AsyncIterator[Together]:
    async with together(postgres) as both:
        yield both


@pytest.fixture
def house(shared_house: Together) -> Together:
    """The pages, and a provider that behaves as usual."""
    shared_house.renew()
    return shared_house


async def test_a_person_signs_in_as_the_one_whom_the_provider_names(house: Together, store: Store) -> None:
    house.oidc.person = {"sub": store.anna}
    await house.pages.engine.add(store.anna, "Drinks green tea")
    await house.pages.engine.add(store.ben, "Drinks black coffee")
    visitor = Visitor(house.pages.port)

    entry = await visitor.html("/enter")
    answer = await house.signed_in(visitor)
    page = await visitor.html("")

    assert f'href="{PUBLIC}{BASE}/oidc/sign-in"' in entry
    assert "Sign in with Our house" in text_of(entry)
    assert (answer.status, location(answer)) == (303, BASE)
    assert set(visitor.cookies) == {"recollect_page"}  # the sign-in's own is gone
    says(page, "green tea", lacks=("black coffee",))
    assert (await visitor.get("/users")).status == 404


async def test_the_way_there_is_bound_to_the_browser_and_opens_nothing(house: Together) -> None:
    first, second = Visitor(house.pages.port), Visitor(house.pages.port)

    leading = await first.get("/oidc/sign-in", (b"Host", b"evil.example"))
    other = await second.get("/oidc/sign-in")

    asked = {name: given[0] for name, given in parse_qs(urlsplit(location(leading)).query).items()}
    cookie = (leading.header(b"set-cookie") or b"").decode()
    assert asked["redirect_uri"] == f"{PUBLIC}{BASE}/oidc/callback"
    assert (asked["client_id"], asked["scope"]) == (CLIENT_ID, "openid profile email")
    assert all(len(asked[name]) == 43 for name in ("state", "nonce", "code_challenge"))
    assert len({asked["state"], asked["nonce"], asked["code_challenge"]}) == 3
    assert asked["state"] not in location(other)
    flags = {"httponly", "secure", "samesite=lax", "max-age=600", f"path={BASE}"}
    assert flags <= set(cookie.lower().split("; "))
    assert len(first.cookies["recollect_sign_in"]) == len(second.cookies["recollect_sign_in"]) == 34
    assert not any(asked[name] in cookie for name in ("state", "nonce", "code_challenge"))


def of_public_key(oidc: ScriptedOidc) -> Callable[[Mapping[str, Any]], str]:
    """Return what signs by HS256 with the public key (PEM), which everybody knows, as if it were a secret."""
    secret = oidc.key.private.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    header = base64url(json.dumps({"alg": "HS256", "kid": oidc.key.id}).encode())

    def sign(claims: Mapping[str, Any]) -> str:
        said = f"{header}.{base64url(json.dumps(claims).encode())}"
        return f"{said}.{base64url(hmac.digest(secret, said.encode(), 'sha256'))}"

    return sign


def signed(key: Any, algorithm: str) -> Callable[[Mapping[str, Any]], str]:
    """Return what signs by a key that is not the provider's."""
    return lambda claims: jwt.encode(dict(claims), key, algorithm=algorithm, headers={"kid": "1"})


DECEITS: tuple[tuple[str, dict[str, Any]], ...] = (
    *(("nonce", {"changed": {"nonce": each}}) for each in ("another", None)),
    *(("azp", {"changed": each}) for each in ({"aud": [CLIENT_ID, "another"]}, {"azp": "another"})),
    *(("MissingRequiredClaimError", {"changed": {each: None}}) for each in ("exp", "sub")),
    ("InvalidAudienceError", {"changed": {"aud": "another"}}),
    ("InvalidIssuerError", {"changed": {"iss": "https://evil.example"}}),
    ("ExpiredSignatureError", {"changed": {"exp": 1_700_000_000}}),
    ("ImmatureSignatureError", {"changed": {"iat": 4_000_000_000}}),
    ("at_hash", {"changed": {"at_hash": "another"}}),
    ("user's claim", {"person": {"sub": "*"}}),
    *(("algorithm", {"sign": each}) for each in (signed("", "none"), of_public_key)),
    ("InvalidSignatureError", {"sign": signed(Key("x").private, "RS256")}),
    ("DecodeError", {"sign": lambda _claims: "no token"}),
    *(("iss", {"query": {"iss": each}}) for each in ("https://evil.example", None)),
    *(("no code", {"query": {"code": None}}), ("invalid_grant", {"query": {"code": "guessed"}})),
    *(("invalid_client", {"token_error": "invalid_client"}), ("status 400", {"token_error": EVIL_TOLD})),
    ("unknown error", {"query": {"error": EVIL_TOLD, "error_description": EVIL_TOLD}}),
)


@table(("reason", "told"), DECEITS)
async def test_an_answer_without_proof_is_none(house: Together, reason: str, told: dict[str, Any]) -> None:
    given: Any = {
        name: value(house.oidc) if value is of_public_key else value for name, value in told.items()
    }
    house.renew(**given)
    visitor = Visitor(house.pages.port)

    with structlog.testing.capture_logs() as logged:
        answer = await house.signed_in(visitor)

    page = answer.body.decode()
    assert answer.status == 403
    assert "recollect_page" not in visitor.cookies
    assert "does not prove who you are" in text_of(page)
    assert "said by the provider" not in page
    [line] = [each for each in logged if each["event"] == "sign_in_failed"]
    assert (line["refusal"], line["reason"], line["log_level"]) == ("sign_in_unproven", reason, "warning")
    assert "code-" not in str(logged)


@table(
    ("query", "status", "words"),
    [
        ({"error": "access_denied", "code": None}, 403, "was cancelled"),
        ({"error": "temporarily_unavailable", "code": None}, 503, "The sign-in service is away"),
    ],
)
async def test_a_no_is_told(house: Together, query: dict[str, str | None], status: int, words: str) -> None:
    house.renew(query=query)

    answer = await house.signed_in(Visitor(house.pages.port))

    assert answer.status == status
    assert words in text_of(answer.body.decode())
    is_counted = bool(house.pages.authentication.failed._failed)
    assert is_counted is (status == 403), "a provider that is away is no guess of anybody's"


async def test_an_answer_counts_once_and_only_in_the_browser_that_asked(house: Together) -> None:
    house.oidc.reused_codes = True
    anna, mallory = Visitor(house.pages.port), Visitor(house.pages.port)
    annas, mallorys = await house.begun(anna), await house.begun(mallory)
    kept = anna.cookies["recollect_sign_in"]

    lured = await house.came_back(anna, mallorys)  # Anna's browser would be Mallory's account
    stolen = await house.came_back(mallory, annas)
    without = await house.came_back(Visitor(house.pages.port), annas)
    forged = await house.came_back(Visitor(house.pages.port, {"recollect_sign_in": "AAAA" + kept[4:]}), annas)
    garbage = await house.came_back(Visitor(house.pages.port, {"recollect_sign_in": "%"}), annas)
    rightly = await house.came_back(anna, annas)
    replayed = await house.came_back(Visitor(house.pages.port, {"recollect_sign_in": kept}), annas)

    refused = (lured, stolen, without, forged, garbage, replayed)
    assert [each.status for each in refused] == [401] * len(refused)
    assert not any(each.header(b"set-cookie") for each in refused)
    assert "Please sign in again" in text_of(replayed.body.decode())
    assert rightly.status == 303
    assert house.oidc.asked["/token"] == 1  # whoever has no sign-in of their own reaches no provider


@table(
    ("key_id", "keys", "is_found"),
    [
        *((each, [{}], each != "2") for each in ("1", "2", None)),
        *((None, [{}, {"kid": "2"} | each], bool(each)) for each in ({}, {"use": "enc"})),
        *(("1", [each], False) for each in ({"use": "enc"}, {"alg": "PS256"}, {"kty": "EC"})),
    ],
)
def test_a_key_is_found(key_id: str | None, keys: list[dict[str, str]], *, is_found: bool) -> None:
    header = {"kid": key_id} if key_id else None
    token = jwt.encode({}, SIGNING.private, algorithm="RS256", headers=header)

    found = matching_key(token, [{**SIGNING.jwk, **changed} for changed in keys])

    assert (found is not None) is is_found


async def test_a_sign_in_ends_after_ten_minutes(postgres: Postgres) -> None:
    now = datetime.now(UTC)
    async with together(postgres, clock=lambda: now) as house:
        slow, quick = Visitor(house.pages.port), Visitor(house.pages.port)
        slows, quicks = await house.begun(slow), await house.begun(quick)
        now += timedelta(minutes=9)
        within = await house.came_back(quick, quicks)
        now += timedelta(minutes=1)
        after = await house.came_back(slow, slows)

    assert (within.status, after.status) == (303, 401)


async def test_a_new_key_of_the_provider_counts_and_is_looked_for_once_a_minute(postgres: Postgres) -> None:
    now = 100.0
    async with together(postgres, seconds=lambda: now) as house:

        async def enter() -> int:
            return (await house.signed_in(Visitor(house.pages.port))).status

        before = await enter()
        house.oidc.key = Key("2")  # not published yet
        at_once = [await enter(), await enter()]
        read_at_once = house.oidc.asked["/jwks"]
        now += 61
        unpublished = [await enter(), await enter()]
        read_later = house.oidc.asked["/jwks"]
        house.oidc.published.append(house.oidc.key)
        now += 61
        after = await enter()

    assert (before, at_once, unpublished, after) == (303, [403, 403], [403, 403], 303)
    assert (read_at_once, read_later) == (1, 2)


async def test_a_provider_that_is_away_breaks_nothing_else(postgres: Postgres, store: Store) -> None:
    now = 100.0
    async with together(postgres, seconds=lambda: now, patience=0.3) as house:
        house.oidc.broken = {"/.well-known/openid-configuration"}
        for language, words in load_catalogues().items():
            answer = await Visitor(house.pages.port, language=language).get("/oidc/sign-in")
            assert answer.status == 503
            assert words("failure.provider_away") in text_of(answer.body.decode())
        asked = house.oidc.asked["/.well-known/openid-configuration"]
        by_link = await house.pages.person(store.anna)
        house.oidc.broken = set()
        now += 6
        visitor = Visitor(house.pages.port)
        back = await house.begun(visitor)
        house.oidc.pause = 2.0
        slow = await house.came_back(visitor, back)
        house.oidc.pause = 0.0
        well = await house.signed_in(visitor)

    assert len(LANGUAGES) > 1
    assert asked == 1  # and not once for each who tries
    assert "recollect_page" in by_link.cookies
    assert slow.status == 503
    assert well.status == 303


async def test_a_provider_that_nobody_serves_is_away(house: Together) -> None:
    house.pages.authentication.provider = sign_in_at(ScriptedOidc(issuer="http://127.0.0.1:9"))

    assert (await Visitor(house.pages.port).get("/oidc/sign-in")).status == 503


@table(
    "configuration",
    [
        {"issuer": "https://evil.example"},
        {"token_endpoint": "http://evil.example/token"},
        {"jwks_uri": "file:///etc/passwd"},
        {"end_session_endpoint": "javascript:alert(1)"},
        {"token_endpoint": None},
        {"padding": "x" * 600_000},
    ],
)
async def test_bad_metadata_leads_nowhere(house: Together, configuration: dict[str, Any]) -> None:
    house.renew(configuration=configuration)

    answer = await Visitor(house.pages.port).get("/oidc/sign-in")

    assert (answer.status, answer.header(b"location")) == (503, None)


@table(
    ("groups", "userinfo", "status"),
    [
        *((each, {}, 303) for each in (["people", "admins"], "admins")),
        *((each, {}, 403) for each in (None, "not-admins", {"admins": True})),
        (None, {"sub": ANNAS_SUB, "groups": ["admins"]}, 303),
        (None, {"sub": "somebody else", "groups": ["admins"]}, 403),
        (["people"], {"sub": ANNAS_SUB, "groups": ["admins"]}, 403),
    ],
)
async def test_who_is_administrator(
    house: Together, groups: Any, userinfo: dict[str, Any], status: int
) -> None:
    claims = {"sub": ANNAS_SUB, **({} if groups is None else {"groups": groups})}
    house.renew(person=claims, userinfo=userinfo)
    visitor = Visitor(house.pages.port)

    answer = await house.signed_in(visitor, "/oidc/sign-in?role=administrator")
    as_person = await house.signed_in(person := Visitor(house.pages.port))

    assert answer.status == status
    assert (await visitor.get("/users")).status == (200 if status == 303 else 401)
    assert (as_person.status, location(as_person)) == (303, BASE)
    assert (await person.get("/users")).status == 404


async def test_people_see_which_administrator_looked(house: Together, store: Store) -> None:
    house.oidc.person = {"sub": ANNAS_SUB, "groups": ["admins"]}
    await house.pages.engine.add(store.anna, "Drinks green tea")
    admin = Visitor(house.pages.port)
    await house.signed_in(admin, "/oidc/sign-in?role=administrator")
    assert (await admin.post("/look", {"user": store.anna})).status == 303
    await admin.html("/changes")
    person = await house.pages.person(store.anna)

    told = await person.text("/reads")
    house.pages.authentication.provider = None
    after = await admin.get("/users")

    assert f"oidc {ANNAS_SUB}" in told
    assert after.status == 401


def test_no_key_has_a_name_that_makes_it_a_providers_administrator(tmp_path: Path) -> None:
    names = [person_of_provider("anna").name, administrator_of_provider("anna").name]

    with pytest.raises(ConfigurationError, match="one word"):
        add_access_key(tmp_path / "access-keys", KeyRole.ADMIN, names[1])
    assert not any(Principal(role, names[0]).is_by_provider for role in (TokenKind.ADMIN, TokenKind.READER))


@table(
    ("claim", "person", "userinfo", "user_id"),
    [
        (None, {"sub": ANNAS_SUB}, {}, ANNAS_SUB),
        (None, {"sub": "1"}, {}, None),
        ("sub", {"sub": "1"}, {}, "1"),
        ("email", {"sub": "1", "email": "Anna@Example.org", "email_verified": True}, {}, "anna@example.org"),
        ("email", {"sub": "1", "email": "anna@example.org"}, {}, None),
        *(
            ("email", {"sub": "1", "email": "a@b.org", "email_verified": each}, {}, None)
            for each in (False, "true")
        ),
        ("email", {"sub": "1"}, {"sub": "1", "email": "a@b.org", "email_verified": True}, "a@b.org"),
        ("chat_id", {"sub": "1", "chat_id": "anna-7"}, {}, "anna-7"),
        ("chat_id", {"sub": "1"}, {}, None),
        ("email", {"sub": "1", "email": "a@b.org"}, {"sub": "1", "email_verified": True}, "a@b.org"),
    ],
)
async def test_the_id_is_the_claim_of_the_settings_and_never_one_that_may_be_anothers(
    house: Together, claim: str | None, person: dict[str, Any], userinfo: dict[str, Any], user_id: str | None
) -> None:
    house.renew(SignInRules(claim=claim), person=person, userinfo=userinfo)

    answer = await house.signed_in(visitor := Visitor(house.pages.port))
    session = house.pages.authentication.page_sessions.session(visitor.cookies.get("recollect_page", ""))

    assert answer.status == (303 if user_id else 403)
    assert (session.user_id if session else None) == user_id


async def test_the_secret_is_sent_as_is_wanted(house: Together) -> None:
    for methods in (["client_secret_post"], ["client_secret_basic"], None):
        house.renew(configuration={"token_endpoint_auth_methods_supported": methods} if methods else {})

        assert (await house.signed_in(Visitor(house.pages.port))).status == 303, methods


async def test_who_leaves_may_leave_the_provider_too(house: Together) -> None:
    visitor = Visitor(house.pages.port)
    await house.signed_in(visitor)

    left = await visitor.sent("/sign-out")
    leading = location(await visitor.get("/oidc/sign-out"))
    house.oidc.configuration = {"end_session_endpoint": None}
    by_key = await (admin := await house.pages.administrator()).followed(await admin.post("/sign-out"))

    assert "recollect_page" not in visitor.cookies
    assert f'href="{BASE}/oidc/sign-out"' in left
    assert leading.startswith(f"{house.oidc.issuer}/leave?theme=plain&client_id={CLIENT_ID}&")
    assert parse_qs(urlsplit(leading).query)["post_logout_redirect_uri"] == [f"{PUBLIC}{BASE}/enter"]
    assert f'href="{BASE}/oidc/sign-out"' not in by_key


async def test_failures_count_like_wrong_keys_and_a_right_sign_in_gets_in_meanwhile(house: Together) -> None:
    stranger = Visitor(house.pages.port)
    house.pages.authentication.failed = FailedAttempts()
    failed = [(await stranger.get("/oidc/callback?code=x&state=y")).status for _ in range(11)]

    anna = Visitor(house.pages.port)
    answer = await house.begun(anna)
    entered = await anna.get(location(answer).removeprefix(PUBLIC + BASE))

    assert failed == [401] * 10 + [429]
    assert entered.status == 303


async def test_without_a_provider_there_is_no_such_page(pages: Pages) -> None:
    visitor = Visitor(pages.port)

    for path in ("/oidc/sign-in", "/oidc/callback?code=x&state=y", "/oidc/sign-out"):
        assert (await visitor.get(path)).status == 404
    assert "oidc" not in await visitor.html("/enter")


@table(
    ("changed", "missing"),
    [
        *(({"oidc_issuer": each}, "RECOLLECT_OIDC_ISSUER") for each in (None, "http://id.example.org")),
        *(({"oidc_issuer": each}, "RECOLLECT_OIDC_ISSUER") for each in ("id.example.org", "https://[id")),
        ({"public_url": None}, "RECOLLECT_PUBLIC_URL"),
    ],
)
def test_settings_that_are_not_enough_or_unsafe_are_refused(changed: dict[str, Any], missing: str) -> None:
    given = {"oidc_issuer": "https://id.example.org", "oidc_client_id": "x", "public_url": PUBLIC} | changed
    settings = proxy_settings(**given)

    with pytest.raises(ConfigurationError, match=missing):
        make_authentication(settings, TOKEN, system_clock)


@table("given", [{"oidc_admin": "groups"}, {"oidc_admin": "=admins"}, {"oidc_scopes": "profile email"}])
def test_settings_that_make_no_sense_are_refused(given: dict[str, str]) -> None:
    with pytest.raises(ValueError, match=next(iter(given))):
        proxy_settings(**given)
