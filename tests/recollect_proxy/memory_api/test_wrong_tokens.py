"""An address with too many wrong tokens waits; a strong valid token never does."""

from contextlib import nullcontext
from dataclasses import replace
from datetime import timedelta

import pytest
from tests.recollect_proxy.memory_api.serving import (
    TOKEN,
    Api,
    assert_error,
    bearer,
    engine_over,
    path_of,
    serve,
)
from tests.support.stores import Store
from tests.support.tables import table

from recollect.engine import system_clock
from recollect.errors import ConfigurationError
from recollect.store import Postgres
from recollect_proxy.access.authentication import Authentication, TooManyAttemptsError
from recollect_proxy.access.own_tokens import Audience, PersonTokens
from recollect_proxy.identity.caller import Claim
from recollect_proxy.web.asgi import Headers

ENDED = PersonTokens(TOKEN, lambda: system_clock() - timedelta(hours=2)).make("anna", Audience.API)[0]
OF_A_PAGE = PersonTokens(TOKEN, system_clock).make("anna", Audience.PAGE_LINK)[0]
FORGED = PersonTokens("another admin token of 0123456789 characters", system_clock)


class Signed:
    """A mode whose signed tokens have all ended."""

    headers: frozenset[bytes] = frozenset()
    secrets: frozenset[bytes] = frozenset()

    def claim(self, headers: Headers, peer: str | None) -> Claim | None:  # noqa: ARG002 -- the port's
        """Refuse whatever comes."""
        return Claim(None)


@table(
    ("admin_token", "modes", "sent", "waits"),
    [
        (TOKEN, (), "guess", True),
        (TOKEN, (), FORGED.make("anna", Audience.API)[0], True),
        *((TOKEN, (), each, False) for each in (None, "", ENDED, OF_A_PAGE, TOKEN)),
        (TOKEN, (Signed(),), "head.body.signature", False),
        (TOKEN, (Signed(),), "guess", True),
        ("a.b.c", (Signed(),), "head.body.signature", True),
    ],
)
def test_the_eleventh_guess_waits(
    admin_token: str, modes: tuple[Signed, ...], sent: str | None, *, waits: bool
) -> None:
    authentication = Authentication(admin_token, system_clock, modes=modes)
    headers = [] if sent is None else [(b"authorization", f"Bearer {sent}".encode())]
    for _ in range(10):
        authentication.admitted(headers, "192.0.2.7")

    with pytest.raises(TooManyAttemptsError) if waits else nullcontext():
        authentication.admitted(headers, "192.0.2.7")
    authentication.admitted(headers, "192.0.2.8")


@table(
    ("authorization", "is_known"),
    [
        *(([f"{scheme}  {TOKEN} "], True) for scheme in ("Bearer", "bearer", "BEARER")),
        *(([each], False) for each in ("", "Bearer", "Bearer ", "Bearer another token", TOKEN)),
        *(([each], False) for each in (f"Bearer {TOKEN}x", f"Bearer {TOKEN[:-1]}", f"Basic {TOKEN}")),
        *(([each], False) for each in ("Bearer \xff\xfe", "Bearer \u20ac")),
        ([], False),
        *(([each, f"Bearer {TOKEN}"], False) for each in (f"Bearer {TOKEN}", "Bearer another token")),
    ],
)
def test_the_token_is_told_from_any_other(authorization: list[str], *, is_known: bool) -> None:
    headers = [(b"authorization", value.encode("latin-1", "replace")) for value in authorization]

    assert (Authentication(TOKEN, system_clock).admitted(headers, None) is not None) is is_known


@table("token", ["", " ", "\n"])
def test_an_empty_token_would_let_everybody_in_and_is_refused(token: str) -> None:
    with pytest.raises(ConfigurationError, match="empty"):
        Authentication(token, system_clock)


def test_a_token_that_can_be_guessed_waits_like_those_who_guess_it() -> None:
    weak = Authentication("tea", system_clock)
    tea, guess = [(b"authorization", b"Bearer tea")], [(b"authorization", b"Bearer milk")]
    assert weak.admitted(tea, None) is not None
    for _ in range(10):
        weak.admitted(guess, None)

    with pytest.raises(TooManyAttemptsError):
        weak.admitted(tea, None)


async def test_an_address_that_waits_is_told_so_and_valid_tokens_get_in(
    postgres: Postgres, store: Store
) -> None:
    async with serve(engine_over(postgres)) as served:
        api: Api = replace(served, anna=store.anna, ben=store.ben)
        own = api.authentication.person_tokens.make(api.anna, Audience.API)[0]

        async def ask(token: str, path: str = api.memories) -> int:
            return (await api.call("GET", path, headers=bearer(token))).status

        forbidden = {await ask(own, f"{path_of(api.ben)}/memories") for _ in range(12)}
        guesses = [await ask(f"guess {number}", "/api/sessions/chat/memories") for number in range(9)]
        guesses += [await ask("guess"), await ask("guess")]
        refused = await api.call("GET", api.memories, headers=bearer("guess"))
        valid = [await ask(each) for each in (TOKEN, own)]

    assert forbidden == {403}
    assert guesses == [401] * 10 + [429]
    assert_error(refused, 429, "too_many_attempts")
    assert 0 < int(refused.header(b"retry-after") or b"0") <= 61
    assert valid == [200, 200]
