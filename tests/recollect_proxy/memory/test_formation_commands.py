"""Wishes in a chat (remember, forget, correct) are carried out, and the next answer can confirm them."""

import pytest
from tests.recollect_proxy.chat.spoken import replies
from tests.recollect_proxy.frontends import Frontend
from tests.scripted.extraction import Lesson, Pupil
from tests.scripted.upstream import ScriptedUpstream
from tests.servers.running_proxy import RunningProxy, User

from recollect.model import Scope

SMALL_TALK = "Thanks a lot."


REMEMBER = "Remember that my locker at the pool is number 417."
LOCKER = "my locker at the pool is number 417"
WHICH = "Which number is my locker at the pool?"
FORGET = "Please forget my locker at the pool."


@pytest.fixture
def answering(upstream: ScriptedUpstream) -> ScriptedUpstream:
    """The LLM, in whatever API it is asked."""
    upstream.otherwise = replies("All right.")
    return upstream


async def test_what_somebody_asks_to_be_forgotten_is_gone_from_everywhere(
    proxy: RunningProxy,
    answering: ScriptedUpstream,
    pupil: Pupil,
    user: User,
) -> None:
    pupil.lessons.append(Lesson(LOCKER))
    pupil.wishes += [("remember", REMEMBER), ("forget", FORGET, "417")]
    told = Frontend(proxy, answering, user, chat="told")
    await told.says(REMEMBER)
    await proxy.formed(user)
    assert "417" in (await told.says(SMALL_TALK)).done, "the chat is told that it is remembered"
    asked = Frontend(proxy, answering, user, chat="asked")
    assert "417" in (await asked.says(WHICH)).text
    forgetting = Frontend(proxy, answering, user, chat="forgetting")

    await forgetting.says(FORGET)
    await proxy.formed(user)
    next_one = await forgetting.says(SMALL_TALK)
    new = await Frontend(proxy, answering, user, chat="new").says(WHICH)

    assert await proxy.statements(user) == []
    assert "- [DONE] Forgotten, as the user asked (1)" in next_one.text
    assert "417" not in next_one.text
    assert "417" not in new.text, "neither the memory nor what it was understood from"
    assert "417" not in (await asked.says(SMALL_TALK)).text, "nor a block that is attached again"
    assert "417" not in (await told.says(SMALL_TALK)).done
    assert FORGET not in new.text, "nor the command itself"


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
WISH = "Das mit dem Auf und Ab: bitte nirgends aufbewahren."


async def test_what_somebody_wants_kept_nowhere_is_erased_from_every_table_and_can_not_be_undone(
    proxy: RunningProxy, answering: ScriptedUpstream, pupil: Pupil, user: User
) -> None:
    answering.otherwise = replies(f"So it is, with {WORD}.")
    pupil.lessons += [Lesson(f"Ich habe {WORD}"), Lesson("meine Tochter heißt Mila")]
    pupil.wishes.append(("erase", WISH, WORD))
    telling = Frontend(proxy, answering, user, chat="told")
    await telling.says(TOLD)
    await proxy.formed(user)
    await telling.says("Und jetzt?")
    asked = Frontend(proxy, answering, user, chat="asked")
    assert WORD in (await asked.says("Welche Krankheit habe ich?")).text
    await proxy.formed(user)
    chat = Frontend(proxy, answering, user, chat="wish")

    await chat.says(WISH)
    await proxy.formed(user)
    answering.otherwise = replies("All right.")
    first = await chat.says(SMALL_TALK)
    again = Frontend(proxy, answering, user, chat="wish")
    await again.says(WISH)  # as a frontend does to regenerate an answer
    undone = await chat.says("Undo that.")
    new = await Frontend(proxy, answering, user, chat="new").says(f"Was weißt du über {WORD}?")
    await proxy.formed(user)

    assert "- [DONE] Erased for good, as the user asked" in first.text
    assert "- [NOT DONE] Nothing was undone" in undone.text
    assert new.text.count(WORD) == 1, "the question alone"
    assert await proxy.statements(user) == ["meine Tochter heißt Mila"]
    await proxy.engine.erase_session(Scope(user.known_as, "new"))
    assert await rows_with(proxy, user, WORD) == []
