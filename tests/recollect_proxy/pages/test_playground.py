"""An administrator tries a recall of a user's, and that user is told."""

from dataclasses import replace
from html import unescape

from tests.recollect.engines import PATIENT, engine_over
from tests.recollect_proxy.pages.served_pages import Pages, says, serve_pages, text_of
from tests.scripted.models import ScriptedExtractor
from tests.support.stores import Store
from tests.support.tables import table

from recollect.errors import BudgetSpentError
from recollect.model import Candidate, Kind
from recollect_proxy.pages.playground import conversation_of


async def test_an_administrator_tries_a_question_and_the_user_sees_that(store: Store) -> None:
    engine = engine_over(store, PATIENT)
    memory = await engine.add(store.anna, "My favourite tea is Lapsang Souchong")
    await engine.add(store.ben, "My favourite tea is Sencha")
    async with serve_pages(engine) as served:
        admin = await replace(served, anna=store.anna).administrator(looks_at=store.anna)
        page = await admin.html("/playground?question=What+is+my+favourite+tea%3F")

    assert "Would be recalled My favourite tea is Lapsang Souchong" in text_of(page)
    assert "As it would stand in the prompt" in text_of(page)
    assert "Sencha" not in page
    assert (await engine.get(store.anna, memory.id)).recall_count == 0
    assert [each.operation for each in await engine.admin_reads(store.anna, limit=9)] == ["page: playground"]


async def test_what_finds_nothing_says_why_and_tells_of_no_tokens(pages: Pages) -> None:
    admin = await pages.administrator(looks_at=pages.anna)

    text = await admin.text("/playground?question=What+is+my+favourite+tea%3F")

    says(text, "nothing that is remembered seemed to be needed", lacks=("In 0",))
    assert "As it would stand in the prompt" not in text


SAID = "User: I moved to Lisbon in May.\nAssistant: How nice.\nUser: My landlord writes that all is paid."
MOVED = Candidate("Lives in Lisbon", Kind.FACT, 0.8, "I moved to Lisbon in May")
INVENTED = Candidate("<b>Owns a dog</b>", Kind.FACT, 0.8, "my dog sleeps")


async def test_an_administrator_tries_a_conversation_and_the_user_sees_that(store: Store) -> None:
    extractor = ScriptedExtractor([MOVED, INVENTED], BudgetSpentError())
    engine = engine_over(store, PATIENT, extractor=extractor)
    tea = await engine.add(store.anna, "My favourite tea is Sencha")
    async with serve_pages(engine) as served:
        admin = await replace(served, anna=store.anna).administrator(looks_at=store.anna)
        asked = {"conversation": SAID, "model": "small"}
        page = (await admin.post("/playground", asked)).body.decode()
        again = (await admin.post("/playground", asked)).body.decode()

    text = text_of(page)
    assert "Would be kept Lives in Lisbon Fact new importance 0.8 I moved to Lisbon in May Would not" in text
    assert "<b>Owns a dog</b> Fact not in the user’s words" in text
    assert "<b>Owns" not in page
    assert "Today’s budget of tokens is spent." in text_of(again)
    assert SAID in unescape(again)
    exchanges, _ = extractor.asked[0]
    assert [(each.turn.text, each.reply, each.turn.model) for each in exchanges] == [
        ("I moved to Lisbon in May.", "How nice.", "small"),
        ("My landlord writes that all is paid.", "", "small"),
    ]
    assert [each.id for each in (await engine.page(store.anna, limit=9)).memories] == [tea.id]
    reads = await engine.admin_reads(store.anna, limit=9)
    assert [each.operation for each in reads] == ["page: extraction"] * 2


@table(
    ("text", "messages"),
    [
        ("hello\nthere", [("user", "hello\nthere")]),
        ("user: a\n b\nASSISTANT: c", [("user", "a\n b"), ("assistant", "c")]),
        ("User: I am a\nuser\nof it", [("user", "I am a\nuser\nof it")]),
        ("Note: this\nUser: that", [("user", "Note: this"), ("user", "that")]),
        ("Assistant:\nUser:", []),
    ],
)
def test_a_conversation_is_read_by_its_speakers(text: str, messages: list[tuple[str, str]]) -> None:
    assert [(each.role.value, each.text) for each in conversation_of(text)] == messages


async def test_an_extraction_is_tried_by_administrators_alone_and_within_bounds(pages: Pages) -> None:
    admin = await pages.administrator(looks_at=pages.anna)
    for conversation in ("a" * 8001, "User: a\n" * 21, "Assistant: a"):
        assert (await admin.post("/playground", {"conversation": conversation})).status == 400
    person = await pages.person()
    assert (await person.post("/playground", {"conversation": "a"})).status == 404
    assert (await person.get("/playground?question=x")).status == 404
