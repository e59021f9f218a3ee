"""Which headers pass, and which don't."""

from pathlib import Path

from tests.support.tables import table

from recollect.engine import system_clock
from recollect_proxy.access.person_tokens import Audience, PersonTokens
from recollect_proxy.identity.api_key import add_key
from recollect_proxy.web.headers import forwardable, keyed, relayable, rewritable


def nothing(_name: bytes) -> bool:
    return False


OF_THE_HOP = b"""Connection keep-alive Proxy-Connection Proxy-Authorization proxy-authenticate TE trailer
    Transfer-Encoding upgrade"""


@table("name", OF_THE_HOP.split())
def test_headers_of_the_hop_pass_neither_way(name: bytes) -> None:
    headers = [(b"x-a", b"1"), (name, b"x"), (b"x-a", b"2")]

    assert forwardable(headers, without=nothing) == [(b"x-a", b"1"), (b"x-a", b"2")]
    assert relayable(headers, status=200) == [(b"x-a", b"1"), (b"x-a", b"2")]


def test_what_connection_names_passes_neither_way() -> None:
    named = [(b"connection", b"close, X-Own"), (b"Connection", b"x-other")]
    headers = [*named, (b"x-own", b"1"), (b"X-OTHER", b"2")]

    assert forwardable(headers, without=nothing) == []
    assert relayable(headers, status=200) == []


def test_host_and_expect_are_ours_to_say() -> None:
    assert forwardable([(b"Host", b"h"), (b"expect", b"100-continue")], without=nothing) == []
    assert relayable([(b"expect", b"x")], status=200) == [(b"expect", b"x")]


def test_what_is_not_wanted_is_left_out_whatever_its_case() -> None:
    assert forwardable([(b"X-Own", b"1")], without=lambda name: name == b"x-own") == []


@table("status", [204, 304])
def test_an_answer_without_a_body_promises_none(status: int) -> None:
    headers = [(b"Content-Length", b"5"), (b"etag", b"e")]

    assert relayable(headers, status=status) == [(b"etag", b"e")]
    assert relayable(headers, status=200) == headers


def test_what_holds_for_a_body_goes_with_it() -> None:
    bound = [(name, b"1") for name in (b"Content-Length", b"Digest", b"Content-Digest", b"Signature-Input")]
    headers = [*bound, (b"Accept-Encoding", b"gzip"), (b"x-a", b"1")]

    assert rewritable(headers, body=False, answer=False) == headers
    assert rewritable(headers, body=True, answer=False) == headers[-2:]
    assert rewritable(headers, body=False, answer=True) == [*bound, (b"x-a", b"1")]


def test_the_upstreams_own_key_takes_the_place_of_the_clients_in_the_clients_way() -> None:
    headers = [(b"X-Api-Key", b"theirs"), (b"x-a", b"1"), (b"authorization", b"Bearer theirs")]

    assert keyed(headers, b"ours") == [
        (b"X-Api-Key", b"ours"),
        (b"x-a", b"1"),
        (b"authorization", b"Bearer ours"),
    ]
    assert keyed([(b"x-a", b"1")], b"ours") == [(b"x-a", b"1"), (b"authorization", b"Bearer ours")]


def test_a_key_of_our_making_goes_no_further_and_anybody_elses_does(tmp_path: Path) -> None:
    whole = add_key(tmp_path / "keys", "anna").encode()
    token = PersonTokens("a long admin token of 0123456789 characters", system_clock).make(
        "anna", Audience.API
    )[0]
    others = [(b"authorization", each) for each in (b"Bearer sk-recollect-1", b"")]
    others += [(b"x-a", b"recollect-1"), (b"api-key", b"abc")]
    ours = [
        (b"Authorization", b"Bearer recollect-1"),
        *((name, b" recollect-1") for name in (b"x-api-key", b"api-key", b"X_Api_Key")),
        (b"x-a", whole),
        (b"Sec-WebSocket-Protocol", b"realtime, openai-insecure-api-key." + whole),
        (b"Cookie", b"a=b; key=" + whole),
        *((name, f"Bearer {token}".encode()) for name in (b"Authorization", b"x-a")),
    ]

    assert keyed([*ours, *others], None) == others
    values = {value for _, value in keyed([*ours, *others], b"theirs")}
    assert values == {b"Bearer theirs", b"theirs", b"recollect-1"}


def test_the_upstreams_key_may_be_one_that_another_recollect_made() -> None:
    assert keyed([], b"recollect-" + b"k" * 43) == [(b"authorization", b"Bearer recollect-" + b"k" * 43)]
