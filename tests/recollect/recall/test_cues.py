from collections.abc import Callable

from hypothesis import given
from hypothesis import strategies as st
from tests.support.tables import table, texts

from recollect.text.cues.phrases import (
    asks_about_code,
    asks_for_before,
    asks_what_assistant_said,
    cannot_stand_alone,
    complains_of_forgetting,
    is_about_oneself,
    is_small_talk,
)

HEARD = {
    asks_about_code: [
        *texts("""
        Why does this function return twice? | I get a stack trace | Fix the regex please
        What is `parse_rows` for? | where is load_rows used | call openDoor for me | see settings.toml
        run main() first | Warum wirft die Funktion das? | Une erreur de compilation dans mes fonctions
        ¿Qué hace este código? | Explique esta função | Spiega questo codice | Leg deze functie uit
        Почему эта функция медленная? | اشرح هذه الدالة: دالة الجمع | 这个函数为什么报错
        このコードを説明して | 이 코드를 설명해 줘
    """),
        "```\nx = 1\n```",
    ],
    asks_for_before: texts("""
        What did we decide last time? | Do you remember the name of my boat?
        As I told you, the fence is green | We talked about kayaks, which one was it? | the recipe I mentioned
        You said earlier that it floats | Was haben wir letztes Mal beschlossen?
        Erinnerst du dich an meinen Kater? | Das Buch, das wir neulich hatten
        Qu'est-ce qu'on a dit la dernière fois ? | Tu te souviens de mon vélo ?
        ¿Qué plan hicimos la última vez? | ¿Recuerdas el color de mi puerta? | O que combinamos da última vez?
        Você lembra do meu barco? | Ti ricordi del mio gatto? | Weet je nog hoe mijn boot heet?
        Что мы решили в прошлый раз? | Помнишь мою кошку? | ماذا قررنا في المرة السابقة؟ | هل تتذكر اسم قطتي؟
        我们之前说的那本书 | 上次推荐的餐厅叫什么 | 你还记得我的猫吗 | 前回の続きをお願いします
        この前のレストランの名前は? | 私の猫の名前を覚えてる? | 지난번에 말한 식당 이름이 뭐야?
        내 고양이 이름 기억나?
    """),
    asks_what_assistant_said: texts("""
        What did you say about the boiler? | Which hotel did you recommend?
        What was your suggestion for the hallway? | the paint you recommended | Was hast du empfohlen?
        Welches Zelt hast du mir vorgeschlagen? | Qu'est-ce que tu m'as conseillé ? | ¿Qué me recomendaste?
        O que você sugeriu? | Cosa mi hai consigliato? | Wat heb je aanbevolen? | Что ты посоветовал?
        بماذا نصحتني؟ | 你推荐的那家店 | あなたのおすすめは何でしたか | 네가 추천했던 책
    """),
    cannot_stand_alone: texts("""
        and the second one? | what about it? | why? | yes | and in Berlin? | the other one | Which one?
        What does it mean? | Tell me more | And then? | ? | und der zweite? | Warum? | Und in Berlin?
        Was ist das? | et l'autre ? | Pourquoi ? | ¿y el segundo? | ¿Por qué? | e o segundo? | e il secondo?
        en de tweede? | а второй? | Почему? | لماذا؟ | وماذا عن برلين؟ | 那第二个呢 | 为什么? | どうして?
        じゃあベルリンは? | 왜? | 그럼 베를린은?
    """),
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
    asks_about_code: [
        *texts("""
        When is my yoga class? | My iPhone is wet | What does a YouTube star eat? | Wie geht es
    """),
        "",
    ],
    asks_for_before: [
        *texts("""
        Should I stretch before dinner? | What happened the day before the storm?
        Wash the pears before you eat them | Was mache ich vor dem Essen? | Que faire avant le dîner ?
        睡觉之前要刷牙吗 | Translate this poem
    """),
        "",
    ],
    asks_what_assistant_said: [
        *texts("""
        What did my aunt say? | Recommend a tent | Was empfiehlt der Arzt? | 推荐一本书
    """),
        "",
    ],
    cannot_stand_alone: [
        *texts("""
        What is my dog's name? | Où est Paris ? | Where do I live? | Is it raining in Berlin today?
        Wie heißt mein Hund? | ¿Cómo se llama mi perro? | Как зовут мою кошку? | 我的狗叫什么名字
        私の犬の名前は何ですか | And so the long story of the lighthouse keeper and his two cats began | 😀
    """),
        "",
    ],
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

    assert cue(f"{beginning} my `code()` list all you said last time") == cue(beginning)


@given(st.text() | st.text(st.characters(categories=["Cs", "Cc", "So", "Mn"])), st.sampled_from([*HEARD]))
def test_any_text_is_answered(text: str, cue: Callable[[str], bool]) -> None:
    assert cue(text) in {True, False}
