from hypothesis import given
from hypothesis import strategies as st

from recollect.formation.difference.names import proper_names
from recollect.formation.difference.oppositions import polarity
from recollect.formation.difference.subjects import named_relatives, relatives, subjects
from recollect.formation.evidence import share_no_script
from recollect.formation.wording import wording


def test_clauses_end_at_commas_and_contrasts() -> None:
    words = wording("Likes tea, but not coffee while hiking").words

    assert [word.clause for word in words] == [0, 0, 2, 2, 2, 3, 3]


def test_a_capital_tells_nothing_where_a_sentence_begins() -> None:
    words = wording('Paul met Anna. Then "Bob" came: Carl and iPhone').words

    assert [word.text for word in words if word.is_capital] == ["Anna", "iPhone"]


def test_articles_and_possessives_are_cut_off() -> None:
    assert [word.text for word in wording("l'ami d'Anna's, qu'il n'aime").words] == [
        "l", "ami", "d", "Anna", "qu", "il", "n", "aime",
    ]  # fmt: skip


def test_korean_particles_are_cut_off_and_japanese_kana_say_nothing_alone() -> None:
    assert wording("고양이를").stems == wording("고양이가").stems
    assert wording("すしが").stems == frozenset()
    assert wording("ビール").stems == {"ビール"}


def test_a_denial_reaches_to_the_end_of_its_clause() -> None:
    said = polarity("Eats eggs and no meat, likes fish")

    assert said.denied == {"meat"}
    assert {"eat", "egg", "like", "fish"} <= said.affirmed


def test_a_denial_behind_denies_the_whole_clause() -> None:
    assert "fisch" in polarity("Mag den Fisch nicht").denied
    assert polarity("Really? No.").denied == frozenset()


def test_short_words_deny_only_in_their_language() -> None:
    assert not polarity("Trabalha no hospital com uma colega").denies
    assert polarity("Elle n'aime plus le fromage").denies
    assert polarity("Non ha la macchina e mai la vuole").denies
    assert not polarity("Rendez-vous chez le dentiste en mai").denies


def test_of_whom_it_tells_stands_at_the_beginning() -> None:
    assert subjects("Older sister plays chess") == {"sister"}
    assert subjects("Plays chess every week with her sister") == frozenset()
    assert relatives("Plays chess every week with her sister") == {"sister"}
    assert subjects("妹妹住在成都") == {"sister"}


def test_relatives_have_names_beside_them() -> None:
    assert named_relatives("Has a son named Leo, born in Bergen") == wording("Leo").stems
    assert named_relatives("Lives in Bergen") == frozenset()


def test_german_nouns_with_an_article_name_nothing() -> None:
    assert proper_names("Arbeitet bei der Bahn und wohnt in Fulda", "") == wording("Fulda").stems
    assert proper_names("Works for the Council in York", "") == wording("Council York").stems


def test_scripts_are_told_apart() -> None:
    assert share_no_script("Lives in Tomsk", "живу в Томске")
    assert not share_no_script("iPhone", "мой iPhone")
    assert not share_no_script("すし", "寿司")
    assert not share_no_script("42", "мой")


@given(st.text())
def test_any_text_has_words(text: str) -> None:
    said = wording(text)

    assert said.stems == frozenset().union(*(word.stems for word in said.words))
    assert polarity(text).denied | polarity(text).affirmed == said.stems
    assert named_relatives(text) <= said.stems
