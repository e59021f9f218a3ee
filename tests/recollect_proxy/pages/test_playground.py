"""An administrator tries a recall of a user's, and that user is told."""

from dataclasses import replace

from tests.recollect.engines import PATIENT, engine_over
from tests.recollect_proxy.pages.served_pages import Pages, serve_pages, text_of
from tests.support.stores import Store


async def test_an_administrator_sees_what_a_question_would_be_given_and_the_user_that_they_tried(
    store: Store,
) -> None:
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

    text = text_of(await admin.html("/playground?question=What+is+my+favourite+tea%3F"))

    assert "nothing that is remembered seemed to be needed" in text
    assert "tokens" not in text
    assert "As it would stand in the prompt" not in text


async def test_it_is_no_persons_page(pages: Pages) -> None:
    assert (await (await pages.person()).get("/playground?question=x")).status == 404
