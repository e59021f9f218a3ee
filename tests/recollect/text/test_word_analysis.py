from hypothesis import given
from hypothesis import strategies as st

from recollect.text.denials import denial
from recollect.text.word_analysis import analyze_words


def test_clauses_end_at_commas_and_contrasts() -> None:
    words = analyze_words("Likes tea, but not coffee while hiking").words

    assert [word.clause for word in words] == [0, 0, 2, 2, 2, 3, 3]


def test_a_capital_tells_nothing_where_a_sentence_begins() -> None:
    words = analyze_words('Paul met Anna. Then "Bob" came: Carl and iPhone').words

    assert [word.text for word in words if word.is_capital] == ["Anna", "iPhone"]


def test_articles_and_possessives_are_cut_off() -> None:
    assert [word.text for word in analyze_words("l'ami d'Anna's, qu'il n'aime").words] == [
        "l", "ami", "d", "Anna", "qu", "il", "n", "aime",
    ]  # fmt: skip


def test_korean_particles_are_cut_off_and_japanese_kana_say_nothing_alone() -> None:
    assert analyze_words("고양이를").stems == analyze_words("고양이가").stems
    assert analyze_words("すしが").stems == frozenset()
    assert analyze_words("ビール").stems == {"ビール"}


def test_a_denial_reaches_to_the_end_of_its_clause() -> None:
    said = denial("Eats eggs and no meat, likes fish")

    assert said.denied == {"meat"}
    assert {"eat", "egg", "like", "fish"} <= said.affirmed


def test_a_denial_behind_denies_the_whole_clause() -> None:
    assert "fisch" in denial("Mag den Fisch nicht").denied
    assert denial("Really? No.").denied == frozenset()


def test_short_words_deny_only_in_their_language() -> None:
    assert not denial("Trabalha no hospital com uma colega").denied
    assert denial("Elle n'aime plus le fromage").denied
    assert denial("Non ha la macchina e mai la vuole").denied
    assert not denial("Rendez-vous chez le dentiste en mai").denied


@given(st.text())
def test_any_text_has_words(text: str) -> None:
    said = analyze_words(text)

    assert said.stems == frozenset().union(*(word.stems for word in said.words))
    assert denial(text).denied | denial(text).affirmed == said.stems
