from collections.abc import Callable

from hypothesis import given
from hypothesis import strategies as st
from tests.support.tables import table, texts

from recollect.text.cues import complains_of_forgetting, is_about_oneself, is_small_talk

HEARD = {
    complains_of_forgetting: texts("""
        You forgot my allergy again! | I already told you that I moved.
        Du hast vergessen, dass ich Vegetarier bin. | Das habe ich dir doch gesagt, hast du vergessen?
        Tu as oublié mon anniversaire. | Ya te lo dije ayer. | Hai dimenticato il mio nome?
        Você esqueceu o meu endereço. | Ты забыл, где я живу? | 你忘了我的名字 | 名前を忘れたの?
        내 이름 잊었어?
    """),
    is_about_oneself: texts("""
        what is my dog called | Where did i leave it? | Is it ours? | I'm tired | Wo wohne ich?
        Wie heißt mein Hund? | Où est mon vélo ? | J'aime quoi ? | ¿Dónde vivo yo? | Como se chama meu gato?
        Come si chiama il mio cane? | Hoe heet mijn kat? | Где я живу? | Как зовут мою кошку? | أين أسكن أنا؟
        我住在哪里 | 私の猫の名前 | 僕はどこに住んでいる | 내 고양이 이름이 뭐야
    """),
    is_small_talk: texts("""
        Hi! | hello there | Thanks so much for your help! | How are you? | Good morning, how are you today?
        tell me a joke | ok | lol | 😀👍 | Guten Morgen! Wie geht's? | Vielen Dank | Bonjour, ça va ?
        ¡Hola! ¿Cómo estás? | Obrigado! | Grazie mille | Dank je wel | Привет, как дела? | شكرا | 你好!
        谢谢你 | こんにちは | ありがとうございます | 안녕하세요 | 감사합니다
    """),
}
"""By cue, what holds it."""

UNHEARD = {
    complains_of_forgetting: [
        *texts("""
        What did we decide last time? | I forgot my umbrella on the train. | Forget that I live in Ghent.
        Don't forget to add salt. | Ich habe meinen Schirm vergessen. | J'ai oublié mes clés. | 忘れ物をした
    """),
        "",
    ],
    is_about_oneself: [
        *texts("""
        Who minted this coin? | Explain iteration | Wie hoch ist der Berg? | 天气
    """),
        "",
    ],
    is_small_talk: [
        *texts("""
        Hi, what is my dog's name? | Thanks, and where do I live? | tell me a joke about my boss
        Hallo, wo wohne ich? | 你好,我住在哪里 | What is good for a cold? | ?!
    """),
        " ",
        "",
    ],
}
"""By cue, what only looks like it."""


@table(("cue", "text"), [(cue, text) for cue, those in HEARD.items() for text in those])
def test_a_cue_is_heard_in_each_language(cue: Callable[[str], bool], text: str) -> None:
    assert cue(text)


@table(("cue", "text"), [(cue, text) for cue, those in UNHEARD.items() for text in those])
def test_what_only_looks_like_a_cue_is_none(cue: Callable[[str], bool], text: str) -> None:
    assert not cue(text)


@table("cue", HEARD)
def test_only_the_beginning_of_a_long_text_is_read(cue: Callable[[str], bool]) -> None:
    beginning = "word " * 400

    assert cue(f"{beginning} you forgot my name") == cue(beginning)


@given(st.text() | st.text(st.characters(categories=["Cs", "Cc", "So", "Mn"])), st.sampled_from([*HEARD]))
def test_any_text_is_answered(text: str, cue: Callable[[str], bool]) -> None:
    assert cue(text) in {True, False}
