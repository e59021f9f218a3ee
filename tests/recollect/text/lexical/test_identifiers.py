"""What counts as an identifier of code: strict enough that prose has none."""

from tests.support.tables import table

from recollect.text.lexical import identifiers


@table(
    ("text", "found"),
    [
        ("call getUserName now", {"getusername"}),
        (
            "the UserProfile, HTTPServer and XMLHttpRequest classes",
            {"userprofile", "httpserver", "xmlhttprequest"},
        ),
        ("set `max_retries` and MAX_RETRIES_TOTAL", {"max_retries", "max_retries_total"}),
        ("in __init__ of _private_name", {"__init__", "_private_name"}),
        ("use --dry-run or --force.", {"dry-run", "force"}),
        ("os.path.join and Foo.barBaz()", {"os.path.join", "foo.barbaz"}),
        ("std::vector and node->next", {"std::vector", "node->next"}),
        ("print() is called", {"print"}),
        ("edit src/app/main.py, ./run.sh and README.md", {"src/app/main.py", "run.sh", "readme.md"}),
        ("under /usr/local/share", {"/usr/local/share"}),
        ("since v1.2.3 and v2.0", {"v1.2.3", "v2.0"}),
        (
            "errors E1234, TS2345, ORA-00942, CVE-2021-44228, 0x80070005",
            {"e1234", "ts2345", "ora-00942", "cve-2021-44228", "0x80070005"},
        ),
    ],
)
def test_names_of_code_are_identifiers(text: str, found: set[str]) -> None:
    assert identifiers(text) == found


@table(
    "prose",
    [
        "We met on Monday, e.g. at noon, i.e. early; and/or later in the U.S. with his/her dog.",
        "I was done.Next came dinner. ok.then we left",
        "An iPhone, a MacBook, YouTube and a PhD for McDonald, MacArthur, DiCaprio and LeBron.",
        "A well-known, state-of-the-art 24-hour shop -- and more--much more",
        "It cost $3.50 at 10:30 on 2024-03-15, flight UA12, GPT-4, A380, PS5, 15.03.2024",
        "word(s), item(s) and (see below), _emphasis_ and *stars*, CDs, URLs, NASA",
        "write to ada@example.org or see https://example.org/plan",
        "Ich wohne in der Müllerstraße. Où est-il ? ¿Qué? 猫の名前は",
        "--and then",
        "a" * 300 + "_b",
        "",
    ],
)
def test_prose_has_no_identifiers(prose: str) -> None:
    assert identifiers(prose) == frozenset()
