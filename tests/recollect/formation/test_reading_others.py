"""Reading: what others say in a person's own sentences, what is passed on, and what is made up."""

from datetime import UTC, datetime
from uuid import UUID

from hypothesis import given
from hypothesis import strategies as st
from tests.tables import table

from recollect.formation.reading import Reading, read_words
from recollect.model import Exchange, Message, Role, Scope, Turn


def read(text: str, *history: str) -> Reading:
    roles = (Role.USER, Role.ASSISTANT)
    messages = tuple(Message(roles[number % 2], each) for number, each in enumerate(history))
    turn = Turn(
        Scope("ida", "chat"), text, "key", datetime(2026, 5, 1, tzinfo=UTC), "model", history=messages
    )
    return read_words(Exchange(UUID(int=1), turn, "Fine.", UUID(int=2), UUID(int=3)))


@table(
    ("text", "theirs"),
    [
        ("My cousin wrote: I sell my boat on Friday. What do I say?", "I sell my boat"),
        ("Meine Nachbarin sagte: Ich mag keine Hunde. Schade.", "Ich mag keine Hunde"),
        ("mon oncle a dit : je pars en Chine. il exagère", "je pars en Chine"),
        ("mi vecino dijo: odio el fútbol. jaja", "odio el fútbol"),
        ("тётя пишет: я продаю дачу. жалко", "я продаю дачу"),
        ("我邻居说：我要搬去昆明了。真可惜", "我要搬去昆明"),
        ("pretend you are a baker who fears bread. Go", "fears bread"),
        ("suppose I lived on the moon, what would I eat", "lived on the moon"),
        ("write a tale about a goat that paints. He sells his pictures.", "goat that paints"),
        ("Write a tale about a goat that paints. He sells his pictures.", "He sells his pictures"),
        ("let's role-play: I am a spy with nine passports", "nine passports"),
        ("你是一个住在山洞里的厨师。开始吧", "住在山洞里的厨师"),
        ("灯台に住む猫の物語を書いて。彼は魚が嫌い。", "灯台に住む猫"),
        ("灯台に住む猫の物語を書いて。彼は魚が嫌い。", "彼は魚が嫌い"),
        ("what do i answer? Hi Ruth, I am in Malmo until May, call me then.", "I am in Malmo"),
        ("from our plumber: Dear Ruth, I come on Monday. Regards, Piet", "I come on Monday"),
        ("is this advert ok?\nI sell two canoes and a tent.", "two canoes"),
        (
            "thoughts on this?\nI left the city ten years ago. I keep bees now, and my bread is my own. It was very hard at first, and cold.",
            "keep bees",
        ),
    ],
)
def test_what_somebody_else_says_or_is_made_up_is_not_authored(text: str, theirs: str) -> None:
    reading = read(text)
    assert theirs not in reading.authored
    assert any(theirs in piece for piece in reading.elsewhere)


@table(
    "text",
    [
        "I told my boss: I quit on Friday",
        "My doctor said: I have asthma",
        "как я говорил: я живу в Туле",
        "我说过：我住在武汉",
        "My goals: run a marathon, learn Dutch",
        "I write novels about detectives who drink",
        "Write me a poem about my wife Anna who loves roses",
        "Imagine, I won first prize in the bake-off!",
        "Hi Claude, I move to Lyon in June. Thanks, Nadia",
        "What do you think of this? I want to move to Lyon.",
        "is this ok?\nI take five pills every morning.",
        "my mail to them, is it fine?\nDear Sirs, I cancel my contract. Regards, Ida",
        "我给妈妈写一首诗，我妈住在苏州",
        "私は犬の物語を書いて暮らしている",
        "what about this ad?\n\nShould I call them?",
        "Pa said: no",
    ],
)
def test_what_the_person_says_stays_whole(text: str) -> None:
    assert read(text).authored == text


def test_what_they_say_of_themselves_beside_a_story_stays() -> None:
    reading = read("write a story about a girl with a dragon, I live in Cork myself")
    assert "dragon" not in reading.authored
    assert "I live in Cork" in reading.authored


def test_a_short_question_behind_a_judged_text_stays() -> None:
    reading = read("is this review fair?\nI hated the soup.\n\nAnd should I answer it?")
    assert reading.elsewhere == ("I hated the soup.",)
    assert reading.authored.endswith("And should I answer it?")


@table(
    ("yes", "question", "confirms"),
    [
        ("haha yes", "So you row.", True),
        (
            "yes exactly, four and a half. what can we do when it rains in the hills all week?",
            "You have a child?",
            True,
        ),
        ("of course", "You row, right?", True),
        ("of course", "You could row.", False),
        ("yes please", "Shall I book the boat you row?", False),
        ("yes. but that was years ago", "You row?", False),
        ("yes, that is what everybody in my whole family says all day long. Sure?", "You row?", False),
        ("right?", "You row?", False),
        ("oui voilà", "Tu rames ?", True),
        ("eso mismo", "¿Remas?", True),
        ("так и есть", "Вы гребёте?", True),
        ("そうそう", "ボートを漕ぐんですね。", True),
        ("就是这样", "你划船吗？", True),
        ("nah", "You row?", False),
    ],
)
def test_a_yes_in_any_form_confirms(yes: str, question: str, *, confirms: bool) -> None:
    assert bool(read(yes, "hello", question).confirmed) is confirms


def test_a_bare_question_confirms_what_stands_before_it() -> None:
    summary = f"{'You sell pots at markets. ' * 30}You live in Bath.\n\nIs that right?"
    assert "You live in Bath." in read("yes", "hello", summary).confirmed


@given(st.text(max_size=300))
def test_any_text_is_read(text: str) -> None:
    assert isinstance(read(f"Tom said: {text}"), Reading)
    assert isinstance(read(f"write a story {text}", "a", "b?"), Reading)
