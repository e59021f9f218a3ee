from hypothesis import given
from hypothesis import strategies as st
from tests.support.tables import table

from recollect.model import ROOT, Skip
from recollect_proxy.identity.caller import Caller, readable_id
from recollect_proxy.identity.identity import Identity
from recollect_proxy.identity.plain_header import PlainHeader

IDENTITY = Identity(
    [PlainHeader("x-user", secret_header="x-secret")], session="x-chat", message="x-message", task="x-task"
)
PEER = "127.0.0.1"


def test_the_headers_say_who_speaks_where() -> None:
    headers = [
        (b"X-User", b"anna"),
        (b"x-chat", b"c1"),
        (b"x-message", b"m1"),
        (b"authorization", b"Bearer k\xe9y"),
    ]

    caller = IDENTITY.identify(headers, PEER)

    assert caller == Caller("anna", None, "c1", "m1", "Bearer k\xe9y")


@table("headers", [[], [(b"x-user", b"")], [(b"x-user", b" "), (b"x-user", b"")]])
def test_without_a_user_there_is_no_identity(headers: list[tuple[bytes, bytes]]) -> None:
    assert IDENTITY.identify(headers, PEER) == Caller(skip=Skip.NO_IDENTITY)


@table(
    "found",
    [[b"anna", b"anna"], [b"anna", b""], [b"%8f"], [b"\x8f"], [b"a%00b"], [b"a" * 257], [b"%ED%A0%80"]],
)
def test_what_is_not_one_readable_id_is_a_bad_identity(found: list[bytes]) -> None:
    caller = IDENTITY.identify([(b"x-user", value) for value in found], PEER)

    assert caller == Caller(skip=Skip.BAD_IDENTITY)


def test_a_background_task_is_skipped_but_an_empty_task_header_is_none() -> None:
    assert IDENTITY.identify([(b"x-user", b"anna"), (b"x-task", b"title_generation")], PEER).skip is Skip.TASK
    assert IDENTITY.identify([(b"x-user", b"anna"), (b"x-task", b"")], PEER).skip is None


@table(
    ("name", "companion"),
    [
        (b"X-Claude-Code-Session-Id", b"user-agent"),
        (b"thread-id", b"originator"),
        (b"X-Session-Affinity", b"x-session-id"),
    ],
)
def test_a_coding_agent_names_its_chat_in_a_header_of_its_own_which_its_server_gets_too(
    name: bytes, companion: bytes
) -> None:
    headers = [(b"x-user", b"anna"), (name, b"a1"), (companion, b"a1")]

    assert IDENTITY.identify(headers, PEER) == Caller("anna", session_id="a1", sends_all=True, by_agent=True)
    assert IDENTITY.identify([*headers, (b"x-chat", b"c1")], PEER).session_id == "c1"
    assert not IDENTITY.is_ours(name.lower())


@table(
    "name",
    [b"X-Claude-Code-Agent-Id", b"x-openai-subagent", b"x-codex-parent-thread-id", b"x-parent-session-id"],
)
def test_the_messages_of_a_sub_agent_are_nobodys(name: bytes) -> None:
    headers = [(b"x-user", b"anna"), (b"x-claude-code-session-id", b"a1"), (name, b"a2")]

    assert IDENTITY.identify(headers, PEER) == Caller("anna", Skip.TASK)


@table("name", [b"thread-id", b"X-Session-Affinity", b"x-parent-session-id"])
def test_a_header_that_others_use_too_makes_no_coding_agent(name: bytes) -> None:
    assert IDENTITY.identify([(b"x-user", b"anna"), (name, b"a1")], PEER) == Caller("anna")


def test_chat_and_message_ids_that_can_not_be_read_are_absent() -> None:
    headers = [(b"x-user", b"anna"), (b"x-chat", b""), (b"x-message", b"1"), (b"x-message", b"2")]

    assert IDENTITY.identify(headers, PEER) == Caller("anna")


def test_what_tells_who_speaks_is_ours_whether_we_read_it_or_not() -> None:
    ours = [b"x-user", b"x-chat", b"x-message", b"x-task", b"x-openwebui-user-email", b"x-recollect-include"]

    assert all(IDENTITY.is_ours(name) for name in ours)
    assert not IDENTITY.is_ours(b"authorization")
    assert not IDENTITY.is_ours(b"x-userx")


def test_percent_encoded_ids_are_decoded() -> None:
    assert readable_id([b" J%C3%BCrgen%20K. "]) == "J\u00fcrgen K."


def test_256_characters_are_an_id() -> None:
    assert readable_id([b"%C3%A9" * 256]) == "\u00e9" * 256


@given(st.lists(st.binary(max_size=300), max_size=3))
def test_an_id_is_text_a_database_can_hold_or_none(found: list[bytes]) -> None:
    text = readable_id(found)

    if text is not None:
        assert 0 < len(text) <= 256
        assert "\0" not in text
        text.encode()  # no lone surrogates


@table(
    "sent",
    [
        b"Jos\xe9 \xd8stg\xe5rd",
        "José Østgård".encode(),
        b"Jos%C3%A9%20%C3%98stg%C3%A5rd",
        b"Jos%E9 %D8stg%E5rd",
        b"b64:Sm9zw6kgw5hzdGfDpXJk",
        b"=?UTF-8?B?Sm9zw6kgw5hzdGfDpXJk?=",
        b"=?utf-8?q?Jos=C3=A9_=C3=98stg=C3=A5rd?=",
        b"=?iso-8859-1?q?Jos=E9_?= =?iso-8859-1?q?=D8stg=E5rd?=",
    ],
)
def test_a_name_in_any_encoding_is_one_id(sent: bytes) -> None:
    assert IDENTITY.identify([(b"x-user", sent)], PEER).user_id == "Jos\u00e9 \u00d8stg\u00e5rd"


@table(
    "sent", [b"b64:YWxpY2U=", b"b64:YWxpY2U", b"b64:%%%", b"b64:/w==", b"=?utf-8?q?alice?=", b"=?x?b?4Q?="]
)
def test_base64_of_what_needs_none_is_an_id_as_it_is(sent: bytes) -> None:
    assert readable_id([sent]) == sent.decode()


@table("sent", [b"{{CHAT_ID}}", b"undefined", b"%7B%7BCHAT_ID%7D%7D", b"%DEV_USER%", b"[object Object]"])
def test_ids_that_nobody_filled_in_are_as_if_not_sent(sent: bytes) -> None:
    names = (b"x-chat", b"x-message", b"x-task", b"x-recollect-parent")

    assert IDENTITY.identify([(b"x-user", b"anna"), *((name, sent) for name in names)], PEER) == Caller(
        "anna"
    )


def test_the_id_that_stands_for_no_parent_is_the_beginning() -> None:
    nil = b"00000000-0000-0000-0000-000000000000"

    caller = IDENTITY.identify([(b"x-user", b"anna"), (b"x-recollect-parent", nil)], PEER)

    assert caller == Caller("anna", parent_id=ROOT, sends_all=True)
