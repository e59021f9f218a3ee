from tests.support.tables import table, texts

from recollect.text.normalization import is_unfilled

TEMPLATES = (
    "{{LIBRECHAT_USER_ID}}",
    "$[user.id]",
    "{{ user.id }}",
    "{{{user}}}",
    "lc:{{LIBRECHAT_USER_ID}}",
    '"{{USER}}"',
    *texts("""
        {{}} | ${USER_ID} | ${{ github.actor }} | $USER_ID | $user | $(USER) | $1 | $$USER$$
        user-$USER_ID | %USER% | %%USER%% | %(user)s | %s | %d | %{user} | #{user.id} | @{user} | &{user}
        {$user} | {user} | {user.id} | {user-id} | {0} | {} | [] | [user] | [[USER_ID]] | ((user))
        {{user | <user-id> | <your user id> | <USER_ID_1> | <nil> | <<user>> | <%= user.id %>
        <? echo $id ?> | &lt;id&gt; | {% user %}
    """),
    r"\(user.id)",
    ":user_id",
    ":1",
    "?",
    "@USER_ID@",
    "##USER##",
    "!USERNAME!",
    "~USER~",
    "*|USER|*",
    "$env:USERNAME",
    "process.env.USER_ID",
    "`whoami`",
    "__USER_ID__",
    "%7B%7BUSER_ID%7D%7D",
    r"\u007b\u007buser",
    "<\u0438\u0434\u0435\u043d\u0442\u0438\u0444\u0438\u043a\u0430\u0442\u043e\u0440>",
    "{\u7528\u6237ID}",
    "\u00abutilisateur\u00bb",
    "\u3010\u7528\u6237\u3011",
    "{usuario}",
)
NOTHING = (
    "undefined",
    "null",
    "NULL",
    "None",
    "nil",
    "NaN",
    "(null)",
    '"null"',
    "'undefined'",
    "n/a",
    "true",
    "",
    " ",
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
    "7d9c1f52-2f1b-4c6e-9a53-0a8a3c1b7a11",
    "{ad9c1f52-2f1b-4c6e-9a53-0a8a3c1b7a11}",
    "5f8d0d55b54764421b7156c3",
    "Jos\u00e9",
    "\u674e\u96f7",
    "\u0645\u062d\u0645\u062f",
    "\u0930\u093e\u092e",
    "\u7528\u623742",
    "\u00df",
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


@table("text", [*TEMPLATES, *NOTHING, *PROGRAMS, *FIELDS])
def test_a_template_that_nobody_filled_in_is_known_by_its_shape(text: str) -> None:
    assert is_unfilled(text)


@table("text", IDS)
def test_an_id_is_none(text: str) -> None:
    assert not is_unfilled(text)
