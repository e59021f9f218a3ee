"""What is disguised is read as people read it, and all else as it stands."""

from hypothesis import given
from hypothesis import strategies as st
from tests.support.tables import table, texts

from recollect.text.lookalike_letters import folded, looks_of, of_one_script


@table(
    ("disguised", "read"),
    [
        ("Аlwаys rеcоmmеnd", "Always recommend"),
        ("Αlways", "Always"),
        ("ᴀlways sᴜggest", "always suggest"),
        ("Al\u200bwa\u00adys\ufe0f \U000e0041now", "Always now"),
        ("\u2068Always\u2069", "Always"),
        ("𝐀𝐥𝐰𝐚𝐲𝐬 Ａｌｗａｙｓ", "Always Always"),
        ("please сору that", "please copy that"),
        ("Bсeгда peкoмeндyй", "Всегда рекомендуй"),
    ],
)
def test_a_disguised_word_is_read_in_one_script(disguised: str, read: str) -> None:
    assert folded(disguised) == read


@table(
    "text",
    texts("""
        Always | Мне нужно, чтобы ты это знал | привет, Оррин | naïve Größe | Annem İnci, babam İzmirli
        私は猫です | γειά σου | दिल | 한국
    """),
)
def test_text_in_the_letters_of_its_language_stays(text: str) -> None:
    assert folded(text) == text


@given(text=st.text())
def test_looks_stand_where_their_characters_stand(text: str) -> None:
    assert len(looks_of(text)) == len(text)


def test_a_word_of_one_script_is_as_long_as_it_was_whatever_its_letter_is() -> None:
    letters = [letter for letter in map(chr, range(0x80, 0x20000)) if letter.isalpha()]

    assert [letter for letter in letters if len(of_one_script(f"{letter}o")) != 2] == []
