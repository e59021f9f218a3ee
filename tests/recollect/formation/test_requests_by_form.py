"""Requests told by the form of a sentence, and secrets told by their names."""

from tests.secret_texts import redacted
from tests.tables import table

from recollect.formation.requests import read_requests
from recollect.model import Asking


@table(
    ("text", "asking", "about"),
    [
        ("Forget the colour of my boat", Asking.FORGET, "the colour of my boat"),
        ("forget everything about my boat", Asking.FORGET, "my boat"),
        ("delete what you know about Ruth", Asking.FORGET, "Ruth"),
        ("you don't need to remember my shift", Asking.FORGET, "my shift"),
        ("wipe my old number from your memory", Asking.FORGET, "my old number"),
        ("Vergiss bitte den Namen von meinem Boot", Asking.FORGET, "den Namen von meinem Boot"),
        ("Die Sache mit meinem Chef kannst du vergessen", Asking.FORGET, "Die Sache mit meinem Chef"),
        ("Kannst du bitte meinen alten Job vergessen?", Asking.FORGET, "meinen alten Job"),
        ("Merk dir meine alte Adresse nicht mehr", Asking.FORGET, "meine alte Adresse"),
        ("Oublie la couleur de mon bateau", Asking.FORGET, "la couleur de mon bateau"),
        ("Olvida el nombre de mi barco", Asking.FORGET, "el nombre de mi barco"),
        ("Забудь название моей лодки", Asking.FORGET, "название моей лодки"),
        ("quick thing, keep in mind that I row on Sundays", Asking.REMEMBER, "I row on Sundays"),
        ("save this to memory - our boat is red", Asking.REMEMBER, "our boat is red"),
        ("Behalte im Hinterkopf, dass ich rudere", Asking.REMEMBER, "ich rudere"),
        ("apúntate que mi barco es rojo", Asking.REMEMBER, "mi barco es rojo"),
        ("scratch that, I have two boats", Asking.CORRECT, "I have two boats"),
        ("Das stimmt nicht mehr, ich rudere wieder", Asking.CORRECT, "ich rudere wieder"),
        ("я ошибся, у меня две лодки", Asking.CORRECT, "у меня две лодки"),
    ],
)
def test_a_wish_is_told_by_its_form(text: str, asking: Asking, about: str) -> None:
    [request] = read_requests(text)
    assert (request.asking, request.about) == (asking, about)


@table(
    "text",
    [
        "can you delete the second paragraph about my boat",
        "forget the last sentence of my essay",
        "remove all comments about my class",
        "how do I forget my ex?",
        "I can remember my first boat",
        "vergiss die Kommas in meinem Satz nicht",
        "vergiss nicht, meinen Text zu kürzen",
        "oublie la virgule dans ma phrase",
        "a long day full of rain, forget",
        "one two three four five six, forget my boat",
    ],
)
def test_an_order_about_the_task_is_no_wish(text: str) -> None:
    assert read_requests(text) == ()


@table(
    ("text", "secret"),
    [
        ("the gate code is 7713", "7713"),
        ("our safe at home: 12-44-03", "12-44-03"),
        ("meine Geheimzahl lautet 9034", "9034"),
        ("le digicode est 44A12", "44A12"),
        ("la clave del wifi es pulpo771", "pulpo771"),
        ("код от сейфа 771934", "771934"),
        ("{'password': 'gull4sea', 'x': 1}", "gull4sea"),
        ("login: ida / gull4sea!", "gull4sea!"),
        ("gull4sea is my password", "gull4sea"),
        ("pin de la tarjeta 7719", "7719"),
    ],
)
def test_what_is_named_a_secret_is_blacked_out(text: str, secret: str) -> None:
    assert redacted(text) == text.replace(secret, "[redacted]")


@table(
    "text",
    [
        "the error code is 40417",
        "promo code SAVE20",
        "zip code 90210",
        "the house number is 4417",
        "la clave del éxito son las 40 tapas",
        "код для Arduino на 2560 строк",
        "the dress code is smart casual 1920s",
        "the gate code is from 1920s",
    ],
)
def test_other_numbers_and_codes_stay(text: str) -> None:
    assert redacted(text) == text
