"""Remember, forget, no that is wrong: what a person asks of the memory in a chat is done, and the next answer can say so."""

from dataclasses import dataclass

import pytest
from tests.recollect_proxy.frontends import APIS, Api, Frontend
from tests.recollect_proxy.spoken import replies
from tests.running_proxy import RunningProxy, User
from tests.scripted_extraction import Lesson, Pupil
from tests.scripted_upstream import ScriptedUpstream

from recollect.model import Scope

SMALL_TALK = "Thanks a lot."


@dataclass(frozen=True)
class Language:
    """How the same is said in a language.

    Attributes:
        remember: The command to remember what ``locker`` says.
        locker: The statement in it.
        which: A question about it.
        forget: The command to forget it.
        sister: A statement that is not right.
        correct: Its correction.
        braga: What is right, as the correction says it.
        where: A question about that.
    """

    remember: str
    locker: str
    which: str
    forget: str
    sister: str
    correct: str
    braga: str
    where: str


LANGUAGES = {
    "en": Language(
        "Remember that my locker at the pool is number 417.",
        "my locker at the pool is number 417",
        "Which number is my locker at the pool?",
        "Please forget my locker at the pool.",
        "My sister Ines lives in Porto.",
        "No, I said my sister Ines lives in Braga.",
        "my sister Ines lives in Braga",
        "In which town does my sister Ines live?",
    ),
    "de": Language(
        "Merk dir, dass mein Spind im Schwimmbad die Nummer 417 hat.",
        "mein Spind im Schwimmbad die Nummer 417 hat",
        "Welche Nummer hat mein Spind im Schwimmbad?",
        "Vergiss bitte meinen Spind im Schwimmbad.",
        "Meine Schwester Ines wohnt in Porto.",
        "Nein, ich habe gesagt, meine Schwester Ines wohnt in Braga.",
        "meine Schwester Ines wohnt in Braga",
        "In welcher Stadt wohnt meine Schwester Ines?",
    ),
    "es": Language(
        "Recuerda que mi taquilla en la piscina es la número 417.",
        "mi taquilla en la piscina es la número 417",
        "¿Qué número es mi taquilla en la piscina?",
        "Por favor, olvida mi taquilla en la piscina.",
        "Mi hermana Ines vive en Porto.",
        "No, dije que mi hermana Ines vive en Braga.",
        "mi hermana Ines vive en Braga",
        "¿En qué ciudad vive mi hermana Ines?",
    ),
}

IN_EACH = pytest.mark.parametrize("api", APIS.values(), ids=APIS)
IN_EACH_LANGUAGE = pytest.mark.parametrize("spoken", LANGUAGES.values(), ids=LANGUAGES)


@pytest.fixture
def answering(upstream: ScriptedUpstream) -> ScriptedUpstream:
    """The LLM, in whatever API it is asked."""
    upstream.otherwise = replies("All right.")
    return upstream


@IN_EACH
@IN_EACH_LANGUAGE
async def test_what_somebody_asks_to_be_remembered_is_and_the_next_answer_can_say_so(
    proxy: RunningProxy,
    answering: ScriptedUpstream,
    pupil: Pupil,
    user: User,
    api: Api,
    spoken: Language,
) -> None:
    pupil.lessons.append(Lesson(spoken.locker, importance=0.1))
    pupil.wishes.append(("remember", spoken.remember))
    chat = Frontend(proxy, answering, user, api=api)

    asked = await chat.says(spoken.remember)
    await proxy.formed(user)
    next_one = await chat.says(SMALL_TALK)
    await proxy.formed(user)
    last = await chat.says(SMALL_TALK)
    elsewhere = await Frontend(proxy, answering, user, chat="elsewhere", api=api).says(spoken.which)

    [memory] = await proxy.memories(user)
    assert memory.importance >= 0.8
    assert "[DONE]" not in asked.text
    assert f"- [DONE] Remembered, as the user asked: {memory.content}" in next_one.text
    assert last.text.count("[DONE]") == 1, "it stays where it was told, and is not told again"
    assert memory.content in elsewhere.text


@IN_EACH_LANGUAGE
async def test_without_a_model_what_is_to_be_remembered_is_in_the_persons_own_words(
    proxy: RunningProxy, answering: ScriptedUpstream, user: User, spoken: Language
) -> None:
    await proxy.api(b"PATCH", f"/users/{user.id}/settings", {"formation": "qa_turn"})
    chat = Frontend(proxy, answering, user)

    await chat.says(spoken.remember)
    [told] = await proxy.statements(user)
    next_one = await chat.says(SMALL_TALK)

    assert spoken.locker.casefold() in told.casefold()
    assert f"- [DONE] Remembered, as the user asked: {told}" in next_one.text


@pytest.mark.parametrize(
    "text", ["note that the third column is in euros", "vergiss nicht die kommas", "Remember that I row."]
)
async def test_what_the_model_takes_for_no_wish_is_none(
    proxy: RunningProxy, answering: ScriptedUpstream, pupil: Pupil, user: User, text: str
) -> None:
    await Frontend(proxy, answering, user).says(text)
    await proxy.formed(user)

    assert pupil.extractions(text)
    assert await proxy.statements(user) == []


@IN_EACH
@IN_EACH_LANGUAGE
async def test_what_somebody_asks_to_be_forgotten_is_gone_from_everywhere(
    proxy: RunningProxy,
    answering: ScriptedUpstream,
    pupil: Pupil,
    user: User,
    api: Api,
    spoken: Language,
) -> None:
    pupil.lessons.append(Lesson(spoken.locker))
    pupil.wishes += [("remember", spoken.remember), ("forget", spoken.forget, "417")]
    told = Frontend(proxy, answering, user, chat="told", api=api)
    await told.says(spoken.remember)
    await proxy.formed(user)
    assert "417" in (await told.says(SMALL_TALK)).done, "the chat is told that it is remembered"
    asked = Frontend(proxy, answering, user, chat="asked", api=api)
    assert "417" in (await asked.says(spoken.which)).text
    forgetting = Frontend(proxy, answering, user, chat="forgetting", api=api)

    await forgetting.says(spoken.forget)
    await proxy.formed(user)
    next_one = await forgetting.says(SMALL_TALK)
    new = await Frontend(proxy, answering, user, chat="new", api=api).says(spoken.which)

    assert await proxy.statements(user) == []
    assert "- [DONE] Forgotten, as the user asked (1)" in next_one.text
    assert "417" not in next_one.text
    assert "417" not in new.text, "neither the memory nor what it was understood from"
    assert "417" not in (await asked.says(SMALL_TALK)).text, "nor a block that is attached again"
    assert "417" not in (await told.says(SMALL_TALK)).done
    assert spoken.forget not in new.text, "nor the command itself"


@IN_EACH_LANGUAGE
async def test_without_a_model_what_is_named_in_so_many_words_is_forgotten(
    proxy: RunningProxy, answering: ScriptedUpstream, user: User, spoken: Language
) -> None:
    await proxy.api(b"PATCH", f"/users/{user.id}/settings", {"formation": "qa_turn"})
    await Frontend(proxy, answering, user, chat="told").says(spoken.remember)
    await proxy.memories(user)
    assert "417" in (await Frontend(proxy, answering, user, chat="asked").says(spoken.which)).text

    await Frontend(proxy, answering, user, chat="forgetting").says(spoken.forget)
    await proxy.formed(user)
    new = await Frontend(proxy, answering, user, chat="new").says(spoken.which)

    assert "417" not in new.text
    assert [each.content for each in await proxy.memories(user, at_least=0) if "417" in each.content] == []


async def test_what_is_not_meant_stays(
    proxy: RunningProxy, answering: ScriptedUpstream, pupil: Pupil, user: User
) -> None:
    pupil.lessons += [Lesson("I keep bees behind the barn"), Lesson("I play the tuba on Sundays")]
    chat = Frontend(proxy, answering, user)
    await chat.says("I keep bees behind the barn, and I play the tuba on Sundays.")
    await proxy.formed(user)

    await chat.says("Forget my cousin's wedding in Oslo.")
    await proxy.formed(user)
    sent = await chat.says(SMALL_TALK)

    assert await proxy.statements(user) == ["I keep bees behind the barn", "I play the tuba on Sundays"]
    assert "[DONE]" not in sent.text


@IN_EACH
@IN_EACH_LANGUAGE
async def test_a_correction_takes_the_place_of_what_is_wrong_and_the_next_answer_can_say_so(
    proxy: RunningProxy,
    answering: ScriptedUpstream,
    pupil: Pupil,
    user: User,
    api: Api,
    spoken: Language,
) -> None:
    pupil.lessons += [
        Lesson(spoken.sister),
        Lesson(spoken.braga, spoken.sister.replace("Porto", "Braga"), "contradicts", spoken.sister),
    ]
    pupil.wishes.append(("correct", spoken.correct, spoken.sister))
    chat = Frontend(proxy, answering, user, api=api)
    await chat.says(spoken.sister)
    await proxy.formed(user)

    await chat.says(spoken.correct)
    await proxy.formed(user)
    next_one = await chat.says(SMALL_TALK)
    elsewhere = await Frontend(proxy, answering, user, chat="elsewhere", api=api).says(spoken.where)

    right = spoken.sister.replace("Porto", "Braga")
    assert await proxy.statements(user) == [right]
    assert f"- [DONE] Corrected, as the user said: {right}" in next_one.text
    assert right in elsewhere.text
    replaced = (await proxy.engine.history(user.known_as))[0]
    assert (replaced.action, replaced.reason, replaced.before) == ("replace", "corrected", spoken.sister)


async def test_all_that_is_denied_goes_is_told_and_comes_back(
    proxy: RunningProxy, answering: ScriptedUpstream, pupil: Pupil, user: User
) -> None:
    wrong = ("I have a nephew", "I sail", "I am a vet")
    denial = "I never said any of that, somebody else wrote from my tablet"
    pupil.lessons += [Lesson(each) for each in wrong]
    pupil.wishes.append(("correct", denial, *wrong))
    chat = Frontend(proxy, answering, user)
    await chat.says(", ".join(wrong))
    await proxy.formed(user)
    assert {*await proxy.statements(user)} == {*wrong}

    await chat.says(denial)
    await proxy.formed(user)
    assert await proxy.statements(user) == []
    next_one = await chat.says(SMALL_TALK)
    await chat.says("Undo that.")

    assert "- [DONE] No longer remembered, because the user said it is wrong (3)" in next_one.text
    assert {*await proxy.statements(user)} == {*wrong}


@pytest.mark.parametrize(
    ("asking", "told", "text", "again"),
    [
        ("correct", "I have a nephew", "I never said that I have a nephew called Ben", "I have a nephew called Ben"),
        ("forget", "Wohne in Kiel", "Vergiss bitte, dass ich in Kiel wohne", "ich in Kiel wohne"),
    ],
)  # fmt: skip
async def test_a_denial_or_a_wish_to_forget_does_not_state_what_it_lets_go(
    proxy: RunningProxy,
    answering: ScriptedUpstream,
    pupil: Pupil,
    user: User,
    asking: str,
    told: str,
    text: str,
    again: str,
) -> None:
    pupil.lessons += [Lesson(told), Lesson(again)]
    pupil.wishes.append((asking, text, told))
    chat = Frontend(proxy, answering, user)
    await chat.says(told)
    await proxy.formed(user)
    assert await proxy.statements(user) == [told]

    await chat.says(text)
    await proxy.formed(user)

    assert await proxy.statements(user) == []


async def test_who_forgets_a_place_and_tells_another_is_known_to_live_there(
    proxy: RunningProxy, answering: ScriptedUpstream, pupil: Pupil, user: User
) -> None:
    pupil.lessons += [
        Lesson("I live in London"),
        Lesson("we moved to leeds", "Lives in Leeds", "contradicts", "London"),
    ]
    pupil.wishes.append(("forget", "forget london", "London"))
    chat = Frontend(proxy, answering, user)
    await chat.says("I live in London")
    await proxy.formed(user)

    await chat.says("forget london, we moved to leeds")
    await proxy.formed(user)

    assert await proxy.statements(user) == ["Lives in Leeds"]


async def test_of_a_secret_to_be_remembered_nothing_is_kept_and_the_next_answer_says_why(
    proxy: RunningProxy, answering: ScriptedUpstream, pupil: Pupil, user: User
) -> None:
    said = "Remember that my wifi password is Tulip-77-garden so I don't have to look it up"
    masked = "my wifi password is [secret: password] so I don't have to look it up"
    pupil.lessons.append(Lesson(masked))
    pupil.wishes.append(("remember", f"Remember that {masked}"))
    chat = Frontend(proxy, answering, user)

    await chat.says(said)
    await proxy.formed(user)
    next_one = await chat.says("Which tea is good at night?")
    last = await chat.says(SMALL_TALK)

    assert pupil.extractions("wifi")
    assert await proxy.statements(user) == []
    assert "- [NOT DONE] Nothing was remembered of the user's message before this one" in next_one.text
    assert last.text.count("[NOT DONE]") == 1, "it is told once"


_ROWS = "SELECT row_to_json(each)::text AS row FROM recollect.{table} AS each"


async def rows_with(proxy: RunningProxy, user: User, word: str) -> list[str]:
    """Return the tables that have a word of a person's in whatever column, also in bytes."""
    tables = await proxy.rows(
        "SELECT relname AS name FROM pg_class WHERE relnamespace = 'recollect'::regnamespace"
        " AND relkind IN ('r', 'p') AND NOT relispartition"
    )
    found = []
    for table in tables:
        rows = await proxy.rows(_ROWS.format(table=table["name"]))
        own = [row["row"].casefold() for row in rows if user.known_as in row["row"]]
        if any(word.casefold() in row or word.casefold().encode().hex() in row for row in own):
            found.append(table["name"])
    return sorted(found)


WORD = "Zyklothymie"
TOLD = f"Ich habe {WORD}, meine Tochter heißt Mila."
WISHES = {
    "of a chat before": (TOLD, "Das mit dem Auf und Ab: bitte nirgends aufbewahren."),
    "naming it": (TOLD, f"I'd rather my {WORD} wasn't kept anywhere."),
    "of itself alone": ("", f"Meine {WORD} soll bitte nirgends stehen, ich frage nur einmal."),
}


@pytest.mark.parametrize(("told", "wish"), WISHES.values(), ids=WISHES)
async def test_what_somebody_wants_kept_nowhere_is_erased_from_every_table_and_can_not_be_undone(
    proxy: RunningProxy, answering: ScriptedUpstream, pupil: Pupil, user: User, told: str, wish: str
) -> None:
    answering.otherwise = replies(f"So it is, with {WORD}.")
    pupil.lessons += [Lesson(f"Ich habe {WORD}"), Lesson("meine Tochter heißt Mila")]
    pupil.wishes.append(("erase", wish, WORD))
    if told:
        telling = Frontend(proxy, answering, user, chat="told")
        await telling.says(told)
        await proxy.formed(user)
        await telling.says("Und jetzt?")
        asked = Frontend(proxy, answering, user, chat="asked")
        assert WORD in (await asked.says("Welche Krankheit habe ich?")).text
        await proxy.formed(user)
    chat = Frontend(proxy, answering, user, chat="wish")

    await chat.says(wish)
    await proxy.formed(user)
    answering.otherwise = replies("All right.")
    first = await chat.says(SMALL_TALK)
    again = Frontend(proxy, answering, user, chat="wish")
    await again.says(wish)  # as when its answer is asked for anew
    undone = await chat.says("Undo that.")
    new = await Frontend(proxy, answering, user, chat="new").says(f"Was weißt du über {WORD}?")
    await proxy.formed(user)

    assert "- [DONE] Erased for good, as the user asked" in first.text
    assert "- [NOT DONE] Nothing was undone" in undone.text
    assert new.text.count(WORD) == 1, "the question alone"
    assert await proxy.statements(user) == (["meine Tochter heißt Mila"] if told else [])
    await proxy.engine.erase_session(Scope(user.known_as, "new"))
    assert await rows_with(proxy, user, WORD) == []
