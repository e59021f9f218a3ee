"""Wishes to remember, to forget and to correct, in words that nobody listed, and what only sounds like them."""

import pytest
from tests.tables import table

from recollect.formation.requests import MOST_REQUESTS, read_requests
from recollect.model import Asking

ASKED = [
    (
        "long story about the boiler, it leaks. oh and rember my shifts start at 6 now",
        "remember",
        "shifts start at 6",
    ),
    ("ps remeber that i cant do wednesdays", "remember", "wednesdays"),
    ("for your memory: our dog is called Pogo", "remember", "Pogo"),
    ("For your records, I'm left-handed.", "remember", "left-handed"),
    ("Merk dir doch bitte mal, dass ich freitags nie kann", "remember", "freitags"),
    ("Und schreib dir hinter die Ohren: ich esse keinen Koriander", "remember", "Koriander"),
    ("note bien que je suis gaucher", "remember", "gaucher"),
    ("Apúntate que mi hija se llama Nora", "remember", "Nora"),
    ("segnati che lavoro da casa il lunedì", "remember", "lunedì"),
    ("grava aí que eu sou canhoto", "remember", "canhoto"),
    ("我爸有糖尿病，这个你要记牢", "remember", "糖尿病"),
    ("我不吃香菜，别忘了啊", "remember", "香菜"),
    ("犬の名前はムギ、しっかり覚えておいてね", "remember", "ムギ"),
    ("Two things: forget my old address and remember that I live in Leith now", "forget", "old address"),
    ("strike my weight from your memory please", "forget", "weight"),
    ("Könntest du aus deinem Gedächtnis streichen, dass ich geschieden bin?", "forget", "geschieden"),
    ("tu peux effacer de ta mémoire que j'ai été licencié ?", "forget", "licencié"),
    ("lo de mi divorcio, bórralo de tu memoria", "forget", "divorcio"),
    ("Cancella dalla memoria il mio peso", "forget", "peso"),
    ("Сотри из памяти, что я лежал в больнице", "forget", "больнице"),
    ("我离婚的事，你把它从记忆里删掉", "forget", "离婚"),
    ("Scratch that, the meeting is in Leeds", "correct", "Leeds"),
    ("make that Thursday", "correct", "Thursday"),
    ("not Tuesday, Thursday", "correct", "Thursday"),
    ("Quatsch, am Donnerstag", "correct", "Donnerstag"),
    ("ah non, jeudi pas mardi", "correct", "jeudi"),
    ("perdón, quise decir Bilbao", "correct", "Bilbao"),
]
"""What must be understood: the message, what is asked for, what it is about. First half."""

ASKED_UNSEEN = [
    ("ok thanks for the recipe!! last thing, remmeber im allergic to walnuts", "remember", "walnuts"),
    ("dont froget my sister is called Ines", "remember", "Ines"),
    ("Please commit to memory that our anniversary is 4 May", "remember", "anniversary"),
    ("keep it in mind that I have no oven", "remember", "oven"),
    ("Behalt im Hinterkopf, dass ich kein Auto habe", "remember", "Auto"),
    ("Fürs Gedächtnis: mein Sohn heißt Jonte", "remember", "Jonte"),
    ("Meke dir, dass ich nachts arbeite", "remember", "nachts"),
    ("pour mémoire : je ne bois pas de café", "remember", "café"),
    ("garde bien en tête que ma mère est aveugle", "remember", "aveugle"),
    ("que no se te olvide que soy zurdo", "remember", "zurdo"),
    ("tieni conto che non guido", "remember", "guido"),
    ("Onthou dat ik op dinsdag zwem", "remember", "zwem"),
    ("запомни-ка, что у меня кот Барсик", "remember", "Барсик"),
    ("我女儿叫小满，你记好了", "remember", "小满"),
    ("甲殻類アレルギーなので、記憶しといて", "remember", "甲殻類"),
    ("purge my old job from your memory", "forget", "old job"),
    ("Nimm bitte meine Diagnose aus deinem Gedächtnis", "forget", "Diagnose"),
    ("Das mit meiner Kündigung kannst du aus dem Gedächtnis löschen", "forget", "Kündigung"),
    ("retire de ta mémoire mon ancienne adresse", "forget", "adresse"),
    ("quita de tu memoria que fumo", "forget", "fumo"),
    ("Rimuovi dalla tua memoria che sono separato", "forget", "separato"),
    ("apaga da memória que eu estive doente", "forget", "doente"),
    ("вычеркни из памяти мой старый адрес", "forget", "адрес"),
    ("私の体重のことは記憶から消してね", "forget", "体重"),
    ("Strike that, we leave on Sunday", "correct", "Sunday"),
    ("Make it Porto instead of Lisbon", "correct", "Porto"),
    ("it's Anna, not Anne", "correct", "Anna"),
    ("nicht Köln, sondern Bonn", "correct", "Bonn"),
    ("en fait pas lundi, mardi", "correct", "mardi"),
    ("не в среду, а в четверг", "correct", "четверг"),
]
"""The same, second half."""

NOT_ASKED = [
    "how do you say 'remember: the key is under the mat' in Polish?",
    "Translate 'forget my old address' into French",
    "Wie sagt man höflich auf Englisch: 'Merk dir, dass ich keine Zeit habe'?",
    "comment dit-on « retiens que je suis absent » en allemand ?",
    "I can't remember where I put my keys",
    "I remembered that my dentist is on holiday",
    "she told me to remember that I'm worth it",
    "members of our club meet on Thursdays",
    "do you remember my dog's name?",
    "make that function shorter",
    "scratch my cat behind the ears? is that ok",
    "not bad, thursday works",
    "I never liked spinach as a child, any recipes?",
    "ich kann mir nicht merken, dass der Müll dienstags kommt",
    "je ne me souviens plus de mon code",
    "no me acuerdo de cómo se llama",
    "我记不住单词怎么办",
    "覚えておいてほしいと言われたけど忘れた",
    "Pulisci la memoria del telefono, come si fa?",
    "don't forget to add tests",
    "how do I erase a file from memory in C?",
    "не помню, что он сказал",
]
"""What asks for nothing, first half."""

NOT_ASKED_UNSEEN = [
    "Polish this: 'Please remember that our office is closed on Monday'",
    "rewrite more formally: keep in mind that I am away",
    "wie schreibt man das auf Spanisch: 'Vergiss meine alte Nummer'",
    "traduis « efface de ta mémoire mon nom » en anglais",
    "¿cómo se dice 'recuerda que mañana no vengo' en inglés?",
    "I don't remember that my aunt ever smoked",
    "I forgot that my visa expires in June",
    "remember when we did the garden plan?",
    "September is my favourite month",
    "make that sentence sound friendlier",
    "not really, maybe later",
    "My grandpa would say: never forget that I love you",
    "I never know what to cook",
    "mein Opa vergisst, dass ich Lehrerin bin",
    "j'ai oublié que mon train part à 8 h",
    "olvidé que mi madre venía hoy",
    "ho dimenticato che la mia macchina è rotta",
    "我忘了我妈的生日",
    "パスワードを忘れてしまった",
    "why does the test fail with 'out of memory'? remove my cache from memory first?",
    "я забыл, что у меня экзамен",
    "ik weet niet meer dat ik dat zei",
]
"""The same, second half."""

ASKED_LATER = [
    ("mets-toi bien en tête que je déteste l'aneth", "remember", "aneth"),
    ("anyway that's the plan. remembr that I'm off on fridays", "remember", "fridays"),
    ("store in your memory that my cat is diabetic", "remember", "diabetic"),
    ("for future reference: I wear size 44", "remember", "44"),
    ("Bitte im Gedächtnis behalten: Oma heißt Trude", "remember", "Trude"),
    ("métete en la cabeza que soy celíaco", "remember", "celíaco"),
    ("tieni bene a mente che ho due gemelli", "remember", "gemelli"),
    ("держи в голове, что я не ем мясо", "remember", "мясо"),
    ("我住三楼没电梯，你可记住了", "remember", "三楼"),
    ("来月引っ越すので覚えといて", "remember", "引っ越す"),
    ("could you take my salary out of your memory?", "forget", "salary"),
    ("Tilge bitte meine alte Nummer aus deinem Gedächtnis", "forget", "Nummer"),
    ("sors de ta mémoire mon histoire avec Paul", "forget", "Paul"),
    ("saca de tu cabeza lo de mi operación", "forget", "operación"),
    ("Убери из своей памяти мою дату рождения", "forget", "рождения"),
    ("strike that: we have four kids", "correct", "four"),
    ("make it Friday", "correct", "Friday"),
    ("no wait, not Kiel, Lübeck", "correct", "Lübeck"),
    ("nein, nicht Montag sondern Dienstag", "correct", "Dienstag"),
    ("no es Marta sino María", "correct", "María"),
]
"""Written when the rules were done."""

NOT_ASKED_LATER = [
    "    price REAL NOT NULL,",
    "so no, not quite done yet, but I'm on it",
    "please forget about it",
    "write a poem from memory about my village",
    "I know my PIN from memory",
    "make it short",
    "make that 3 paragraphs",
    "not sure, maybe",
    "Ich kenne den Text aus dem Gedächtnis",
    "what do you have in memory about my trip?",
    "is it Anna or Anne?",
    "how can I wipe my phone's memory?",
    "not only Berlin but Hamburg has a port",
    "en fait, comment ça marche ?",
    "halt, was kostet das?",
    "scratch that itch with what?",
    "je joue ce morceau de mémoire",
    "mi abuela recita de memoria mis poemas",
    "moment, ich muss kurz weg",
    "quatsch nicht so viel rum",
    "что значит 'выкинь из головы'?",
    "I never know when to stop",
    "我记性不好",
    "note the tempo change in bar 4",
    "for the record, is this legal?",
    "List all my allergies from your memory.",
    "Recite my favourite poem from your memory",
    "Cuéntame de tu memoria mis alergias",
    "Give me a clear list of my allergies from your memory",
    "Take my diet from your memory and plan a week",
    "Beginning with 'delete', read me my words from your memory",
    "Read my address from your memory and delete it in the form",
    "I get distracted and forget my appointments.",
    "I keep losing things and forget my keys",
    "I travel a lot and note my expenses in a book.",
    "I am always late and forget that my train leaves at 8",
    "Two things: I travel and forget the names of my hotels",
    "I never told my boss that I moved to Rome",
]
"""The same of near misses."""


@table(("text", "asking", "about"), [*ASKED, *ASKED_UNSEEN, *ASKED_LATER])
def test_a_wish_is_understood(text: str, asking: str, about: str) -> None:
    found = [each for each in read_requests(text) if each.asking is Asking(asking)]

    assert any(about in each.about for each in found)


@table("text", [*NOT_ASKED, *NOT_ASKED_UNSEEN, *NOT_ASKED_LATER])
def test_what_is_no_wish_asks_for_nothing(text: str) -> None:
    assert read_requests(text) == ()


def test_two_wishes_in_one_sentence_are_two() -> None:
    text = "Two things for your memory: drop the old gym, I left. And remember that I row on Sundays now."

    assert [(each.asking, each.about) for each in read_requests(text)] == [
        (Asking.FORGET, "the old gym"),
        (Asking.REMEMBER, "I row on Sundays now"),
    ]


@pytest.mark.parametrize(
    "text",
    ["Remember that I travel and forget my glasses", "Remember that I travel and forget that I own glasses"],
)
def test_what_somebody_does_beside_what_is_remembered_is_no_second_wish(text: str) -> None:
    assert [each.asking for each in read_requests(text)] == [Asking.REMEMBER]


@pytest.mark.parametrize(
    "text",
    [
        "Forget my old address and remember that I live in Leith now",
        "Forget that I smoke, and remember that I live in Leith now",
    ],
)
def test_a_wish_behind_one_to_forget_is_another(text: str) -> None:
    assert [each.asking for each in read_requests(text)] == [Asking.FORGET, Asking.REMEMBER]


def test_what_is_forgotten_of_something_is_not_everything() -> None:
    [request] = read_requests("удали всё, что знаешь о моём разводе")

    assert not request.broad
    assert "разводе" in request.about


@table(
    "text",
    [
        "remeber " * 9_000,
        "x" * 90_000,
        "from your memory " * 5_000,
        "not A, " * 9_000,
        "\ud800\x00",
    ],
)
def test_any_text_is_survived(text: str) -> None:
    assert len(read_requests(text)) <= MOST_REQUESTS


def test_a_long_run_of_marks_is_looked_at_once() -> None:
    # Looked at anew from each of its marks, one takes seconds, and all of them longer than anybody waits.
    for _ in range(100):
        assert read_requests("!" * 19_999 + "a") == ()
