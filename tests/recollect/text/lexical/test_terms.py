"""How terms are read from prose, numbers, links and code."""

from hypothesis import given
from hypothesis import strategies as st
from tests.support.tables import table, texts

from recollect.text.lexical import document_terms, identifiers, query_terms


def found_by(question: str, document: str) -> set[str]:
    return set(query_terms(question)) & set(document_terms(document))


@table(
    ("text", "terms"),
    [
        ("The dogs were running", {"dog": 1, "run": 1}),
        ("Dog, dog. DOG!", {"dog": 3}),
        (
            "Don't you think she'll like Anna's hat, it's Anna\u2019s",
            {"think": 1, "like": 1, "anna": 2, "hat": 1},
        ),
        ("and/or well-known rock'n'roll", {"well": 1, "known": 1, "rock": 1, "roll": 1}),
        ("I was here, e.g. at 9 p.m. in the U.S.", {"e.g": 1, "9": 1, "p.m": 1, "u.s": 1}),
        ("done.Next", {"done.next": 1, "done": 1, "next": 1}),
        ("naïve café \ufb01ne \uff26\uff35\uff2c\uff2c", {"naiv": 1, "cafe": 1, "fine": 1, "full": 1}),
        ("C++ c# F# and C", {"c++": 1, "c#": 1, "f#": 1, "c": 1}),
        ("GPT-4 on sha256", {"gpt-4": 1, "gpt": 1, "4": 1, "sha256": 1}),
    ],
)
def test_prose_is_read_as_stems_without_stop_words(text: str, terms: dict[str, int]) -> None:
    assert document_terms(text) == terms


@table(
    ("text", "terms"),
    [
        ("2024", {"2024"}),
        ("3.14", {"3.14", "3", "14"}),
        ("10:30", {"10:30", "10", "30"}),
        ("1,250,000.50", {"1250000.50", "1250000", "50"}),
        ("$50, 20%", {"50", "20"}),
        ("5pm", {"5pm"}),
        ("3.5kg", {"3.5kg", "3", "5kg"}),
        ("2024-03-15", {"2024-03-15", "2024", "03", "15"}),
        ("15/03/2024", {"15/03/2024", "2024", "03", "15"}),
        ("2024-03-15T10:30", {"2024-03-15", "2024", "03", "15", "10:30", "10", "30"}),
        ("\u0662\u0660\u0662\u0664", {"2024"}),
        (
            "see https://www.Example.org/garden/plan?year=3#top.",
            {
                "see",
                "example.org/garden/plan?year=3#top",
                "https",
                "www",
                "exampl",
                "org",
                "garden",
                "plan",
                "year",
                "3",
                "top",
            },
        ),
        ("https://example.org", {"example.org", "https", "exampl", "org"}),
        ("getUserName", {"getusername", "getusernam", "get", "user", "name"}),
        ("snake_case_names", {"snake_case_names", "snake", "case", "name"}),
        ("Foo.barBaz()", {"foo.barbaz", "foo", "barbaz", "bar", "baz"}),
        ("--dry-run", {"dri", "run"}),
        ("file_name.py", {"file_name.py", "file_name", "file", "name", "py"}),
        ("XMLHttpRequest", {"xmlhttprequest", "xml", "http", "request"}),
        ("MAX_RETRY_COUNT", {"max_retry_count", "max", "retri", "count"}),
        ("v1.2.3", {"v1.2.3", "v1", "2", "3"}),
        ("E1234", {"e1234"}),
        ("utf8_row2", {"utf8_row2", "utf8", "row2"}),
        ("running()", {"run"}),
        ("9f86d081884c7d659a2feaa0c55ad015", {"9f86d081884c7d659a2feaa0c55ad015"}),
        ("A1b2C3d4E5f6G7h8I9j0K1l2M3n4", {"a1b2c3d4e5f6g7h8i9j0k1l2m3n4"}),
        ("x_1_y_2_z_3_a_4_b_5_c_6_d_7_e_8", {"x_1_y_2_z_3_a_4_b_5_c_6_d_7_e_8"}),
    ],
)
def test_numbers_links_and_code_are_found_whole_and_by_their_parts(text: str, terms: set[str]) -> None:
    assert document_terms(text).keys() == terms


def test_an_address_is_found_whole_and_by_its_parts() -> None:
    address = document_terms("write to ada.lovelace@mail.example.org")
    assert address.keys() >= {"ada.lovelace@mail.example.org", "ada", "lovelac", "mail"}


def test_a_name_is_reached_from_its_words_and_written_in_one() -> None:
    assert found_by("get user name", "call getUserName(id)") == {"get", "user", "name"}
    assert found_by("where is getusername", "call getUserName(id)") == {"getusernam"}
    assert "getusername" in found_by("where is getUserName", "call getUserName(id)")


def test_encoded_bytes_leave_no_terms() -> None:
    lines = "\n".join(
        f"iVBORw0KGgo{n}AAAANSUhEUgAA7AAAAOxCAYA9nB3+AABKw0hZcwAADsMAAA7D4AcdvqGQAAA{n}" for n in range(10)
    )
    assert document_terms(f"picture:\n{lines}") == {"pictur": 1}


def test_a_long_word_is_cut_and_still_unlike_another() -> None:
    one, other = document_terms("a" * 80 + "b"), document_terms("a" * 80 + "c")
    assert [len(term) for term in one] == [64]
    assert one.keys() != other.keys()
    assert all(len(term) <= 64 for term in document_terms("\u00e9" * 90 + " " + "\u0928" * 90))


def test_a_document_of_a_thousand_words_without_spaces_is_read() -> None:
    assert document_terms("apple," * 1_000) == {"appl": 1_000}


def test_the_terms_of_a_text_are_bounded() -> None:
    words = [f"w{number}x" for number in range(5_000)]
    assert list(document_terms(" ".join(words))) == words[:2_000]
    assert len(document_terms("".join(f"{number}," for number in range(90_000)))) <= 2_000


def test_what_repeats_after_the_first_words_is_counted() -> None:
    assert document_terms("plum pear plum, (plum)") == {"plum": 3, "pear": 1}


def test_a_question_of_stop_words_has_no_terms() -> None:
    for question in (
        "",
        "?!",
        "What was that about?",
        "Was war das?",
        "Qu'est-ce que c'est ?",
        "Что это было?",
    ):
        assert query_terms(question) == ()


def test_a_title_of_foreign_function_words_is_still_asked_for() -> None:
    assert query_terms("Die Hard") == ("die", "hard")
    assert query_terms("war") == ("war",)


def test_a_question_keeps_its_order_and_is_told_apart_from_a_pasted_page() -> None:
    assert query_terms("Which violin did Clara buy, the red violin?") == ("violin", "clara", "buy", "red")
    page = " ".join(f"{first}{second}og" for first in "bcdfghjk" for second in "aeiou")
    terms = query_terms(f"{page} remarkableness fetchAllRows 2024")
    assert len(terms) == 32
    assert {"fetchallrow", "fetchallrows", "remark", "fetch", "2024"} <= {*terms}
    assert terms.index("remark") < terms.index("fetch") < terms.index("2024")


TEXTS = st.one_of(
    st.text(),
    st.text(
        alphabet="aB1_-./\\:'@+&=~#(),? \u00e9\u0301\u732b\u306e\u30bf\uace0\u0e41\ud800\x00\u0130\ufdfa",
        max_size=200,
    ),
    st.lists(
        st.sampled_from(
            ["getUserName", "don't", "M\u00fcller", "und", "der", "www.a.b/c", "a@b.org", "--x", "1,5"]
        )
    ).map(" ".join),
)


@given(TEXTS)
def test_any_text_has_terms_that_postgres_can_hold(text: str) -> None:
    terms = document_terms(text)
    for term, times in terms.items():
        term.encode()
        assert 0 < len(term) <= 64
        assert "\x00" not in term
        assert not any(character.isspace() for character in term)
        assert times > 0
    assert document_terms(text) == terms


@given(TEXTS)
def test_a_text_is_found_by_all_its_own_query_terms(text: str) -> None:
    terms = query_terms(text)
    assert len(terms) == len(set(terms)) <= 32
    assert {*terms} <= document_terms(text).keys()
    assert bool(terms) == bool(document_terms(text))


@table(
    "pattern",
    [
        *texts("""
        a | aB | a. | a@ | a-1 | --a | 1,2 | /a | _ | a() | https://
    """),
        "\u0301\u0316",
        "\u0301a",
        "\ufdfa",
    ],
)
def test_a_hundred_thousand_characters_of_anything_are_survived(pattern: str) -> None:
    assert len(document_terms(pattern * 100_000)) <= 2_000
    assert isinstance(identifiers(pattern * 100_000), frozenset)


@table(
    ("text", "found"),
    [
        ("call getUserName now", {"getusername"}),
        ("set `max_retries` and MAX_RETRIES_TOTAL", {"max_retries", "max_retries_total"}),
        ("in __init__ of _private_name", {"__init__", "_private_name"}),
        ("use --dry-run or --force.", {"dry-run", "force"}),
        ("os.path.join and Foo.barBaz()", {"os.path.join", "foo.barbaz"}),
        ("std::vector and node->next", {"std::vector", "node->next"}),
        ("print() is called", {"print"}),
        ("edit src/app/main.py, ./run.sh and README.md", {"main.py", "run.sh", "readme.md"}),
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
        *("Ich wohne in der Müllerstraße. Où est-il ? ¿Qué? 猫の名前は", "--and then", ""),
    ],
)
def test_prose_has_no_identifiers(prose: str) -> None:
    assert identifiers(prose) == frozenset()
