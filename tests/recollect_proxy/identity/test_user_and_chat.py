from hypothesis import given
from hypothesis import strategies as st
from tests.support.tables import table

from recollect.model import ROOT, Skip
from recollect_proxy.identity.caller import Caller, readable_id
from recollect_proxy.identity.plain_header import PlainHeader
from recollect_proxy.identity.user_and_chat import Identity

IDENTITY = Identity(
    [PlainHeader("x-user", secret_header="x-secret")], session="x-chat", message="x-message", task="x-task"
)
PEER = "127.0.0.1"


ANNA = (b"x-user", b"anna")
NOT_ONE = ([b"anna", b"anna"], [b"anna", b""], [b"%8f"], [b"\x8f"], [b"a%00b"], [b"a" * 257], [b"%ED%A0%80"])
UNFILLED = (b"{{CHAT_ID}}", b"undefined", b"%7B%7BCHAT_ID%7D%7D", b"%DEV_USER%", b"[object Object]")
OF_SUB_AGENTS = (
    *(b"X-Claude-Code-Agent-Id", b"x-openai-subagent", b"x-codex-parent-thread-id"),
    b"x-parent-session-id",
)
AGENTS = (
    (b"X-Claude-Code-Session-Id", b"user-agent"),
    (b"thread-id", b"originator"),
    (b"X-Session-Affinity", b"x-session-id"),
)
"""The header in which each coding agent names its chat, and one by which it is known."""


@table(
    ("headers", "caller"),
    [
        (
            [
                (b"X-User", b"anna"),
                (b"x-chat", b"c1"),
                (b"x-message", b"m1"),
                (b"authorization", b"Bearer k\xe9y"),
            ],
            Caller("anna", None, "c1", "m1", "Bearer k\xe9y"),
        ),
        *(
            (each, Caller(skip=Skip.NO_IDENTITY))
            for each in ([], [(b"x-user", b"")], [(b"x-user", b" "), (b"x-user", b"")])
        ),
        *(([(b"x-user", each) for each in found], Caller(skip=Skip.BAD_IDENTITY)) for found in NOT_ONE),
        ([ANNA, (b"x-task", b"title_generation")], Caller("anna", Skip.TASK)),
        ([ANNA, (b"x-task", b"")], Caller("anna")),
        # messages of a sub-agent are nobody's
        *(
            ([ANNA, (b"x-claude-code-session-id", b"a1"), (name, b"a2")], Caller("anna", Skip.TASK))
            for name in OF_SUB_AGENTS
        ),
        # headers that others use, too, make no coding agent
        *(
            ([ANNA, (name, b"a1")], Caller("anna"))
            for name in (b"thread-id", b"X-Session-Affinity", b"x-parent-session-id")
        ),
        # ids that can't be read, or that nobody filled in, are as if not sent
        ([ANNA, (b"x-chat", b""), (b"x-message", b"1"), (b"x-message", b"2")], Caller("anna")),
        *(
            (
                [
                    ANNA,
                    *((name, sent) for name in (b"x-chat", b"x-message", b"x-task", b"x-recollect-parent")),
                ],
                Caller("anna"),
            )
            for sent in UNFILLED
        ),
        # the id that stands for no parent is the beginning
        (
            [ANNA, (b"x-recollect-parent", b"00000000-0000-0000-0000-000000000000")],
            Caller("anna", parent_id=ROOT, sends_all=True),
        ),
    ],
)
def test_the_headers_say_who_speaks_where(headers: list[tuple[bytes, bytes]], caller: Caller) -> None:
    assert IDENTITY.identify(headers, PEER) == caller


@table(("name", "companion"), AGENTS)
def test_a_coding_agent_names_its_chat_in_a_header_of_its_own_which_its_server_gets_too(
    name: bytes, companion: bytes
) -> None:
    headers = [ANNA, (name, b"a1"), (companion, b"a1")]
    assert IDENTITY.identify(headers, PEER) == Caller("anna", session_id="a1", sends_all=True, by_agent=True)
    assert IDENTITY.identify([*headers, (b"x-chat", b"c1")], PEER).session_id == "c1"
    assert not IDENTITY.is_ours(name.lower())


def test_a_chat_of_openwebui_comes_whole_with_each_request() -> None:
    plain = PlainHeader("x-user", secret_header="x-secret")
    identity = Identity([plain], session="x-openwebui-chat-id", message="x-message", task="x-task")
    headers = [ANNA, (b"x-openwebui-chat-id", b"c1")]
    assert identity.identify(headers, PEER) == Caller("anna", session_id="c1", sends_all=True)
    assert identity.identify(headers[:1], PEER) == Caller("anna")


def test_what_tells_who_speaks_is_ours_whether_we_read_it_or_not() -> None:
    ours = [b"x-user", b"x-chat", b"x-message", b"x-task", b"x-openwebui-user-email", b"x-recollect-include"]

    assert all(IDENTITY.is_ours(name) for name in ours)
    assert not IDENTITY.is_ours(b"authorization")
    assert not IDENTITY.is_ours(b"x-userx")


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


AS_THEY_ARE = ("b64:YWxpY2U=", "b64:YWxpY2U", "b64:%%%", "b64:/w==", "=?utf-8?q?alice?=", "=?x?b?4Q?=")


@table(
    ("sent", "id_"),
    [
        (b" J%C3%BCrgen%20K. ", "J\u00fcrgen K."),
        (b"%C3%A9" * 256, "\u00e9" * 256),
        *((each.encode(), each) for each in AS_THEY_ARE),  # base64 of what needs none
    ],
)
def test_an_id_is_decoded_where_it_needs_to_be(sent: bytes, id_: str) -> None:
    assert readable_id([sent]) == id_
