from hypothesis import given, settings
from hypothesis import strategies as st
from tests.tables import table

from recollect.formation.memory_commands import MemoryCommand, read_commands, statement_of
from recollect.model import Asking

CALM = settings(deadline=None)

REMEMBER = {
    "Remember that I'm vegan.": "I'm vegan",
    "please remember: my locker is number 12": "my locker is number 12",
    "Don't forget that I'm allergic to nuts": "I'm allergic to nuts",
    "don't forget I'm allergic to nuts": "I'm allergic to nuts",
    "remember my birthday is May 5": "my birthday is May 5",
    "Remember that i'm vegan. now fix the code": "i'm vegan",
    "Can you please remember that my dentist is Dr. Weber?": "my dentist is Dr. Weber",
    "keep in mind that we have two kids": "we have two kids",
    "Note for later: the boiler was serviced in March": "the boiler was serviced in March",
    "Save this to memory: I work nights": "I work nights",
    "Add to your memory that I work nights": "I work nights",
    "I'm vegan, please remember that.": "I'm vegan",
    "I'm allergic to nuts. Remember that!": "I'm allergic to nuts",
    "Thanks! And remember that Anna is my sister": "Anna is my sister",
    "Remember the following:\n- I'm vegan\n- I run\n\nBye": "- I'm vegan\n- I run",
    "Merk dir, dass ich kein Fleisch esse.": "ich kein Fleisch esse",
    "Merk dir bitte: Spind 12": "Spind 12",
    "Merk dir: der Router steht auf Ebene -1. So, und jetzt?": "der Router steht auf Ebene -1",
    "记住哈：我妈怕冷": "我妈怕冷",
    "Vergiss nicht, dass ich am 5. Mai Geburtstag habe": "ich am 5. Mai Geburtstag habe",
    "Denk bitte daran, dass wir zwei Kinder haben": "wir zwei Kinder haben",
    "Ich esse kein Fleisch. Merk dir das.": "Ich esse kein Fleisch",
    "Souviens-toi que je suis végétarienne": "je suis végétarienne",
    "retiens que j'ai deux chats": "j'ai deux chats",
    "S'il te plaît, n'oublie pas que j'habite à Lyon": "j'habite à Lyon",
    "Recuerda que soy celíaca": "soy celíaca",
    "por favor, no olvides que vivo en Lugo": "vivo en Lugo",
    "Ricordati che ho due gatti": "ho due gatti",
    "Lembre-se de que moro no Porto": "moro no Porto",
    "Zapamiętaj, że mam dwa koty": "mam dwa koty",
    "请记住我不吃辣": "我不吃辣",
    "记住：我有两只猫": "我有两只猫",
    "我有两只猫，请记住": "我有两只猫",
    "고양이가 두 마리 있다고 기억해줘": "고양이가 두 마리 있다고",
    "Unutma: iki kedim var": "iki kedim var",
}

FORGET = {
    "Forget that I live in Oslo": "I live in Oslo",
    "please forget about my old job": "my old job",
    "Forget what I said about the car": "the car",
    "you can forget that I'm vegan": "I'm vegan",
    "forget my address": "my address",
    "Delete from your memory that I smoke": "I smoke",
    "Remove the memory about my ex": "my ex",
    "Vergiss bitte, dass ich in Kiel wohne": "ich in Kiel wohne",
    "Vergiss meine alte Adresse": "meine alte Adresse",
    "Lösch aus deinem Gedächtnis, dass ich rauche": "ich rauche",
    "Oublie que j'habite à Lyon": "j'habite à Lyon",
    "oublie ce que je t'ai dit sur mon voisin": "mon voisin",
    "vergiss das mit dem Umzug": "dem Umzug",
    "you can forget about the diet": "the diet",
    "Olvida que vivo en Lugo": "vivo en Lugo",
    "Dimentica che fumo": "fumo",
    "Esqueça que moro no Porto": "moro no Porto",
    "Zapomnij, że palę": "palę",
    "忘记我抽烟": "我抽烟",
    "别再记我的旧地址": "我的旧地址",
}

BROAD = """Forget everything about me
    please delete everything you know about me
    forget all I told you
    Vergiss alles über mich
    oublie tout ce que tu sais sur moi
    Olvida todo lo que sabes de mí
    忘记关于我的所有事情"""

CORRECT = {
    "No, I said Bergen, not Berlin": "Bergen, not Berlin",
    "no, I live in Bergen": "I live in Bergen",
    "No, my sister is called Anna": "my sister is called Anna",
    "That's not right, I have two kids": "I have two kids",
    "that's wrong. I have two kids": None,
    "Actually it's Tuesday, not Monday": "Actually it's Tuesday, not Monday",
    "Sorry, I meant Bergen": "Bergen",
    "Correction: the flight is on Friday": "the flight is on Friday",
    "Nein, ich meinte Kiel": "Kiel",
    "Nein, ich wohne in Kiel": "ich wohne in Kiel",
    "Das stimmt nicht, ich habe zwei Kinder": "ich habe zwei Kinder",
    "Non, j'ai dit Lyon": "Lyon",
    "non, j'habite à Lyon": "j'habite à Lyon",
    "No, dije Lugo": "Lugo",
    "no, vivo en Lugo": "vivo en Lugo",
    "No, ho detto Pisa": "Pisa",
    "Não, eu disse Porto": "Porto",
    "Nie, mieszkam w Gdyni": "mieszkam w Gdyni",
    "不对，我是说周二": "周二",
    "不，我住在苏州": "我住在苏州",
}

NOTHING = """forget it
    Never mind.
    forget about it
    Forget that.
    forget that idea, let's use a loop
    forget my last message
    forget about the loop, use a list
    I forgot my keys
    Do you remember my name?
    remember when we talked about boats?
    Remember that song?
    Can you remember what I said?
    Remember that time we got lost
    I can't remember
    I remember that I lived there
    Your store looks great, I remember it
    remind me tomorrow to call Anna
    Don't forget to add tests to the function
    Remember to use tabs
    remember the milk
    No, I think you should use a loop
    No, I'm not sure
    no, I have a question
    No thanks.
    Actually, I'm not sure
    That's wrong, try again
    What is the best way to remember that a verb is irregular?
    I can never forget that day
    Vergiss es
    Ich habe meine Schlüssel vergessen
    Weißt du noch, wie mein Hund heißt?
    Vergiss nicht, Tests zu schreiben
    Nein, ich bin mir nicht sicher
    Nein danke
    laisse tomber
    J'ai oublié mes clés
    Te souviens-tu de mon nom ?
    N'oublie pas d'ajouter des tests
    olvídalo
    ¿Recuerdas mi nombre?
    No olvides añadir pruebas
    No, gracias
    забудь
    Ты помнишь, как меня зовут?
    Не забудь добавить тесты
    算了
    你还记得我的名字吗？
    我忘了带钥匙
    记得写测试
    鍵を忘れた
    私の名前を覚えていますか？
    テストを追加するのを忘れないようにしよう"""


@table(("text", "about"), REMEMBER.items())
def test_a_command_to_remember_is_read(text: str, about: str) -> None:
    assert read_commands(text) == (MemoryCommand(Asking.REMEMBER, about),)


@table(("text", "about"), FORGET.items())
def test_a_command_to_forget_is_read(text: str, about: str) -> None:
    assert read_commands(text) == (MemoryCommand(Asking.FORGET, about),)


@table("text", BROAD.splitlines())
def test_a_command_to_forget_everything_is_broad(text: str) -> None:
    assert read_commands(text.strip()) == (MemoryCommand(Asking.FORGET, "", broad=True),)


@table(("text", "about"), [(text, about) for text, about in CORRECT.items() if about])
def test_a_correction_is_read(text: str, about: str) -> None:
    assert read_commands(text) == (MemoryCommand(Asking.CORRECT, about),)


@table("text", NOTHING.splitlines())
def test_what_only_sounds_like_a_command_is_none(text: str) -> None:
    assert read_commands(text.strip()) == ()


def test_a_message_may_hold_several_commands_but_not_more_than_five() -> None:
    text = "Remember that I'm vegan. Forget that I live in Oslo.\nNo, I said Bergen!"

    assert [each.asking for each in read_commands(text)] == [Asking.REMEMBER, Asking.FORGET, Asking.CORRECT]
    assert len(read_commands("Remember that I'm vegan.\n" * 9)) == 5


def test_marks_that_stand_alone_belong_to_the_sentence_before() -> None:
    assert read_commands("Remember that I'm vegan !! \u3002 ok") == (
        MemoryCommand(Asking.REMEMBER, "I'm vegan"),
    )
    assert read_commands("! ?") == ()


def test_a_command_that_names_nothing_is_about_nothing() -> None:
    assert read_commands("remember this!") == (MemoryCommand(Asking.REMEMBER, ""),)
    assert read_commands("Is it far? Remember that.") == (MemoryCommand(Asking.REMEMBER, ""),)


def test_a_long_sentence_is_no_plain_command_but_what_is_to_be_remembered_may_be_long() -> None:
    long = "word " * 200

    assert read_commands(f"No, I said {long}") == ()
    assert read_commands(f"Remember that I {long}")[0].about.startswith("I word")


def test_a_statement_is_one_line_with_a_capital_and_not_too_long() -> None:
    assert statement_of(MemoryCommand(Asking.REMEMBER, " i'm\nvegan - ")) == "I'm vegan"
    assert statement_of(MemoryCommand(Asking.REMEMBER, "я живу")) == "Я живу"
    assert statement_of(MemoryCommand(Asking.FORGET, "")) == ""
    assert len(statement_of(MemoryCommand(Asking.REMEMBER, "word " * 500))) <= 500
    assert len(statement_of(MemoryCommand(Asking.REMEMBER, "w" * 5_000))) == 500


@CALM
@given(st.text(max_size=300))
def test_any_text_is_survived(text: str) -> None:
    for request in read_commands(f"{text}\nRemember that I'm vegan\n{text}"):
        assert len(statement_of(request)) <= 501


@table(
    "piece",
    [
        "a",
        "a ",
        "please ",
        "no, ",
        "remember ",
        "remember that ",
        ". ",
        "\n",
        "\u3002",
        "じゃなくて",
        "と",
        "，",
        "forget ",
        "Dr. ",
        "\ud800",
    ],
)
def test_a_long_run_of_anything_is_survived(piece: str) -> None:
    assert len(read_commands(piece * (30_000 // len(piece)))) <= 5
