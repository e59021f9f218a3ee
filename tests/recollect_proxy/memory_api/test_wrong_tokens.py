"""An address with too many wrong tokens waits, and the page's wrong keys count too; a strong valid token never waits."""

from collections.abc import AsyncIterator
from contextlib import nullcontext
from dataclasses import replace
from datetime import timedelta

import pytest
from tests.recollect_proxy.memory_api.serving import TOKEN, Api, assert_error, engine_over, path_of, serve
from tests.support.raw_client import Response
from tests.support.stores import Store

from recollect.engine import system_clock
from recollect.store import Postgres
from recollect_proxy.access import Audience, Authentication, PersonTokens, TooManyAttemptsError, source_of
from recollect_proxy.identity.caller import Claim
from recollect_proxy.web.asgi import Headers


@pytest.fixture
async def api(postgres: Postgres, store: Store) -> AsyncIterator[Api]:
    """The API of this test alone: its counts are its own."""
    async with serve(engine_over(postgres)) as served:
        yield replace(served, anna=store.anna, ben=store.ben)


async def ask(api: Api, token: str | None, path: str | None = None) -> Response:
    headers = [] if token is None else [(b"Authorization", f"Bearer {token}".encode())]
    return await api.call("GET", path or api.memories, headers=headers)


async def guess(api: Api, times: int = 10) -> list[int]:
    """Send wrong tokens, and return the statuses of the answers."""
    return [(await ask(api, f"guess {number}")).status for number in range(times)]


async def test_after_ten_wrong_tokens_in_a_minute_the_next_waits(api: Api) -> None:
    assert await guess(api) == [401] * 10

    refused = await ask(api, "guess")

    assert_error(refused, 429, "too_many_attempts")
    assert 0 < int(refused.header(b"retry-after") or b"0") <= 61


async def test_a_valid_token_is_let_in_whoever_guesses_meanwhile(api: Api) -> None:
    own = api.authentication.person_tokens.make(api.anna, Audience.API)[0]
    await guess(api, 11)

    assert [(await ask(api, token)).status for token in (TOKEN, own)] == [200, 200]
    assert (await ask(api, "guess")).status == 429, "whoever guesses waits still"


async def test_no_token_and_one_of_ours_that_ended_are_no_guesses(api: Api) -> None:
    early = PersonTokens(TOKEN, lambda: system_clock() - timedelta(hours=2))
    ended = early.make(api.anna, Audience.API)[0]
    link = api.authentication.person_tokens.make(api.anna, Audience.PAGE_LINK)[0]

    for token in (None, "", ended, link):
        assert {(await ask(api, token)).status for _ in range(12)} == {401}, token
    assert await guess(api, 1) == [401]


async def test_what_is_signed_by_somebody_else_is_a_guess(api: Api) -> None:
    forged = PersonTokens("another admin token of 0123456789 characters", system_clock)

    answers = [(await ask(api, forged.make(api.anna, Audience.API)[0])).status for _ in range(11)]

    assert answers == [401] * 10 + [429]


class Signed:
    """A mode whose signed tokens have all ended."""

    headers: frozenset[bytes] = frozenset()
    secrets: frozenset[bytes] = frozenset()

    def claim(self, headers: Headers, peer: str | None) -> Claim | None:  # noqa: ARG002 -- the port's
        """Refuse whatever comes."""
        return Claim(None)


@pytest.mark.parametrize(
    ("admin_token", "sent", "waits"),
    [
        (TOKEN, b"head.body.signature", False),
        (TOKEN, b"guess", True),
        ("a.b.c", b"head.body.signature", True),
    ],
)
def test_a_signed_token_that_ended_is_no_guess_where_people_have_such(
    admin_token: str, sent: bytes, *, waits: bool
) -> None:
    authentication = Authentication(admin_token, system_clock, modes=(Signed(),))
    headers = [(b"authorization", b"Bearer " + sent)]

    answers = [authentication.admitted(headers, "192.0.2.7") for _ in range(10)]

    assert answers == [None] * 10
    with pytest.raises(TooManyAttemptsError) if waits else nullcontext():
        assert authentication.admitted(headers, "192.0.2.7") is None


async def test_the_alias_of_a_path_counts_with_it(api: Api) -> None:
    alias = "/api/sessions/chat/memories"
    answers = [(await ask(api, f"guess {number}", alias)).status for number in range(11)]

    assert answers == [401] * 10 + [429]
    assert (await ask(api, "guess")).status == 429


async def test_what_the_token_may_not_do_is_no_guess(api: Api) -> None:
    own = api.authentication.person_tokens.make(api.anna, Audience.API)[0]

    answers = {(await ask(api, own, f"{path_of(api.ben)}/memories")).status for _ in range(12)}

    assert answers == {403}
    assert await guess(api, 1) == [401]


async def test_whoever_comes_from_elsewhere_does_not_wait(api: Api) -> None:
    await guess(api, 11)
    failed = api.authentication.failed

    assert failed.seconds_to_wait(source_of(None, "127.0.0.1")) > 0
    assert failed.seconds_to_wait(source_of(None, "192.0.2.1")) == 0


async def test_an_admin_token_that_can_be_guessed_waits_like_those_who_guess_it(postgres: Postgres) -> None:
    async with serve(engine_over(postgres), admin_token="tea") as api:
        before = (await ask(api, "tea")).status
        await guess(api)
        after = (await ask(api, "tea")).status

    assert (before, after) == (200, 429)
