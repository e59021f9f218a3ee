import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.tables import table

from recollect.errors import StoreError
from recollect.text.normalization import content_hash, normalize, storable_id, storable_text, storable_user

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
