import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.tables import table, texts

from recollect.errors import StoreError
from recollect.text.normalization import (
    content_hash,
    is_unfilled,
    normalize,
    storable_id,
    storable_text,
    storable_user,
    without_cuts,
)

any_text = st.text(st.characters())
hostile_text = st.text(st.characters(categories=["Cs", "Cc", "L"]))


@table(
    ("one", "other"),
    [
        ("Likes tea", "  likes\tTEA. "),
        ("Likes tea", "Ｌｉｋｅｓ　ｔｅａ！"),
        ("喜欢喝茶", "喜欢喝茶。"),
        ("Straße", "STRASSE"),
        ("café", "cafe\u0301"),
        ("Where?", "where…"),
    ],
)
def test_the_same_statement_in_other_looks_is_equal(one: str, other: str) -> None:
    assert content_hash(one) == content_hash(other)


@table(
    ("one", "other"),
    [
        ("Writes C", "Writes C#"),
        ("Writes C", "Writes C++"),
        ("Owes 5", "Owes 5%"),
        ("Likes tea", "Likes teas"),
        ("Has 1 cat", "Has 2 cats"),
        ("?", "!"),
        ("...", ""),
    ],
)
def test_another_statement_is_another(one: str, other: str) -> None:
    assert content_hash(one) != content_hash(other)


@given(any_text)
def test_normalizing_again_changes_nothing(text: str) -> None:
    assert normalize(normalize(text)) == normalize(text)


@given(hostile_text)
def test_any_text_has_a_hash_that_storing_does_not_change(text: str) -> None:
    assert len(content_hash(text)) == 32
    assert content_hash(storable_text(text)) == content_hash(text)


@given(hostile_text)
def test_storable_text_is_as_long_and_can_be_stored(text: str) -> None:
    stored = storable_text(text)

    assert len(stored) == len(text)
    assert "\x00" not in stored
    stored.encode()


@given(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), min_size=1))
def test_a_storable_id_is_never_changed(text: str) -> None:
    assert storable_id(text) == text


@table("text", ["", "\x00", "a\x00", "\ud800", "a\udfffb"])
def test_an_id_that_would_have_to_be_changed_is_refused(text: str) -> None:
    with pytest.raises(StoreError):
        storable_id(text)


def test_nobody_is_the_commons() -> None:
    assert storable_user("**") == "**"
    with pytest.raises(StoreError, match="commons"):
        storable_user("*")


TEMPLATES = (
    *("{{LIBRECHAT_USER_ID}}", "$[user.id]", "{{ user.id }}", "{{{user}}}", "lc:{{LIBRECHAT_USER_ID}}"),
    '"{{USER}}"',
    *texts("""
        {{}} | ${USER_ID} | ${{ github.actor }} | $USER_ID | $user | $(USER) | $1 | $$USER$$
        user-$USER_ID | %USER% | %%USER%% | %(user)s | %s | %d | %{user} | #{user.id} | @{user} | &{user}
        {$user} | {user} | {user.id} | {user-id} | {0} | {} | [] | [user] | [[USER_ID]] | ((user))
        {{user | <user-id> | <your user id> | <USER_ID_1> | <nil> | <<user>> | <%= user.id %>
        <? echo $id ?> | &lt;id&gt; | {% user %}
    """),
    *(r"\(user.id)", ":user_id", ":1", "?", "@USER_ID@", "##USER##", "!USERNAME!", "~USER~", "*|USER|*"),
    *("$env:USERNAME", "process.env.USER_ID", "`whoami`", "__USER_ID__", "%7B%7BUSER_ID%7D%7D"),
    r"\u007b\u007buser",
    "<\u0438\u0434\u0435\u043d\u0442\u0438\u0444\u0438\u043a\u0430\u0442\u043e\u0440>",
    *("{\u7528\u6237ID}", "\u00abutilisateur\u00bb", "\u3010\u7528\u6237\u3011", "{usuario}"),
)
NOTHING = (
    *("undefined", "null", "NULL", "None", "nil", "NaN", "(null)", '"null"', "'undefined'", "n/a", "true"),
    *("", " "),
    *texts("""
        undefined-undefined | user-undefined | user_null | chat:None | session/undefined
        undefined@example.com | null null | ... | *** | -- | 00000000-0000-0000-0000-000000000000
        xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx
    """),
)
PROGRAMS = texts("""
    [object Object] | user-[object Object] | [object Promise] | Promise { <pending> } | [Function: id]
    function getId() { [native code] } | () => user.id | async function f() {} | [class User]
    <function user_id at 0x7f3a> | <bound method User.id of <User 5>> | <m.User object at 0x7f12ab>
""")
FIELDS = (
    *("USER_ID", "user_id", "userId", "your-user-id", "YOUR_USER_ID", "LIBRECHAT_USER_ID", "conversation_id"),
    *("messageId", "parent_message_id", "user.id", "@user_id"),
)
IDS = (
    *("7d9c1f52-2f1b-4c6e-9a53-0a8a3c1b7a11", "{ad9c1f52-2f1b-4c6e-9a53-0a8a3c1b7a11}"),
    *("5f8d0d55b54764421b7156c3", "Jos\u00e9", "\u674e\u96f7", "\u0645\u062d\u0645\u062f"),
    *("\u0930\u093e\u092e", "\u7528\u623742", "\u00df"),
    *texts("""
        i | 0 | -1 | 42 | alice@example.com | chris.null@example.com | jennifer-null | Nonesuch
        undefined_behavior | nullpointer | <@U02ABC3D> | <CAF+x=abc@mail.example.com>
    """),
    "auth0|5f8d0d",
    "google-oauth2|1234",
    "DOMAIN\\alice",
    *texts("""
        acme/alice | +49 170 1234567 | bob$ | a$b | @bob | #bob | ~kim | __alice__ | 100% | U&I | O'Neil
        john [work] | cn=alice,ou=people,dc=x | did:key:z6Mk | local:abc | fp:0123 | h:abc | user | user-1
        test-user-id | anonymous | thread_abc123 | chatcmpl-123 | True North | None of the above | xxx
        Jane (hr) | new
    """),
)


def test_what_is_cut_out_of_a_piece_lies_within_it() -> None:
    assert without_cuts("one two three four", 4, 13, (0, 3, 5, 7, 9, 18)) == "t\u2026 three"


@table("text", [*TEMPLATES, *NOTHING, *PROGRAMS, *FIELDS])
def test_a_template_that_nobody_filled_in_is_known_by_its_shape(text: str) -> None:
    assert is_unfilled(text)


@table("text", IDS)
def test_an_id_is_none(text: str) -> None:
    assert not is_unfilled(text)
