"""Settings on the pages: a person has five switches, an administrator every setting, of one and of everybody."""

from collections.abc import Iterator
from dataclasses import asdict, fields
from pathlib import Path

import pytest
import structlog
from tests.recollect_proxy.memory_api.serving import TOKEN, engine_over
from tests.recollect_proxy.pages.served_pages import Elements, Pages, Visitor, says, serve_pages, text_of

from recollect.model import OF_ONE, Flags, Placement, Strategy
from recollect.store import Postgres
from recollect_proxy.access.access_keys import KeyRole, add_access_key

EVERY = {each.name for each in fields(Flags)} - {"told_zone", "told_name"}


@pytest.fixture
def own_pages(session_pages: Pages, own_postgres: Postgres) -> Iterator[Pages]:
    """Pages over a database of the test's own: everybody's settings are changed."""
    with session_pages.over(engine_over(own_postgres)):
        yield session_pages


def named(html: str, *, disabled: bool = False) -> set[str]:
    """Return the names of a page's setting fields, or only of the disabled ones."""
    return {
        attributes.get("name") or ""
        for tag, attributes in Elements(html).found
        if tag in {"input", "select", "textarea"} and (not disabled or "disabled" in attributes)
    } & EVERY


async def test_a_person_sees_seven_settings_an_administrator_all_but_consent(pages: Pages) -> None:
    persons = await (await pages.person()).html("/settings")
    admins = await (await pages.administrator(looks_at=pages.anna)).html("/settings")

    switches = {"record", "recall", "standing", "summaries", "approve_first"}
    assert named(persons) == switches | {"instructions", "lifetimes"}
    assert named(admins) == EVERY - {"profile"}
    assert "As for everybody: on" in text_of(admins)


async def test_an_administrator_changes_what_differs_and_takes_it_back(pages: Pages) -> None:
    visitor = await pages.administrator(looks_at=pages.anna)
    sent = {"formation": "off", "lexical": "false", "max_memory_tokens": "300", "minimum_importance": "0.5"}
    for name, value in (
        ("max_memory_tokens", "49"),
        ("minimum_importance", "nan"),
        ("formation", "sometimes"),
    ):
        assert (await visitor.post("/settings/more", sent | {name: value})).status == 400, name
    assert await pages.engine.flags(pages.anna) == Flags()

    page = await visitor.sent("/settings/more", {**sent, "placement": "", "summary_turns": " "})
    changed = await pages.engine.flags(pages.anna)
    await visitor.post("/settings/more", {"formation": "", "lexical": "true", "max_memory_tokens": ""})
    taken_back = await pages.engine.flags(pages.anna)

    assert "Saved." in page
    off = {"formation": Strategy.OFF, "lexical": False, "max_memory_tokens": 300, "minimum_importance": 0.5}
    assert asdict(changed) == asdict(Flags()) | off
    says(page, 'value="300"', '<option value="off" selected>')
    assert taken_back == Flags(lexical=True, minimum_importance=0.5)
    assert await pages.engine.flags(pages.ben) == Flags()


async def test_an_administrator_changes_settings_for_everybody(own_pages: Pages) -> None:
    admin = await own_pages.administrator()
    before = await admin.html("/everybody")

    sent = {"recall": "false", "placement": "system", "session_cap": "40", "profile": "true"}
    page = await admin.sent("/everybody", sent)
    of_one = text_of(await (await own_pages.administrator(looks_at=own_pages.anna)).html("/settings"))

    assert named(before) == EVERY - set(OF_ONE)
    assert "As started: on" in text_of(before)
    assert "Saved." in page
    assert await own_pages.engine.flags() == Flags(recall=False, placement=Placement.SYSTEM, session_cap=40)
    says(of_one, "As for everybody: in the system prompt", "as for everybody, 40.")
    with structlog.testing.capture_logs() as logs:
        await admin.post("/everybody", {"recall": "", "placement": "", "session_cap": "", "lexical": ""})
    assert await own_pages.engine.flags() == Flags()
    [names] = [each["names"] for each in logs if each["event"] == "settings_changed"]
    assert names == ["placement", "recall", "session_cap"]


async def test_settings_for_everybody_are_an_administrators(own_postgres: Postgres, tmp_path: Path) -> None:
    keys = tmp_path / "access-keys"
    key = add_access_key(keys, KeyRole.READER, "support")
    async with serve_pages(engine_over(own_postgres), keys=keys) as served:
        person, reader = await served.person(), await served.administrator(key)
        admin, stranger = await served.administrator(TOKEN), Visitor(served.port)
        shown = await reader.html("/everybody")
        off, elsewhere = {"recall": "false"}, (b"Sec-Fetch-Site", b"cross-site")
        anothers = off | {"form_token": await reader.form_token()}
        answers = {
            "person reads": await person.get("/everybody"),
            "person writes": await person.post("/everybody", off),
            "person writes numbers": await person.post("/settings/more", {"user_cap": "1"}),
            "reader writes": await reader.post("/everybody", off),
            "stranger reads": await stranger.get("/everybody"),
            "stranger writes": await stranger.post("/everybody", {"form_token": "x"}),
            "another session's form": await admin.post("/everybody", anothers),
            "another site's form": await admin.post("/everybody", off, elsewhere),
        }

        assert named(shown, disabled=True) == EVERY - set(OF_ONE)
        for what, answer in answers.items():
            refused = 404 if "person" in what else 401 if "stranger" in what else 403
            assert answer.status == refused, what
        assert await served.engine.flags() == await served.engine.flags(served.anna) == Flags()


async def test_a_person_sees_who_changed_their_settings_and_how(pages: Pages) -> None:
    person, admin = await pages.person(), await pages.administrator(looks_at=pages.anna)
    await person.post("/settings", {"record": "on", "standing": "on", "summaries": "on"})
    await admin.post("/settings/more", {"lexical": "false", "user_cap": "500"})
    await person.post("/profile/consent", {"allows": "yes"})

    told = await person.text("/reads")

    assert "Recall: as for everybody → off" in told
    assert "an administrator (admin-token)Search by words: as for everybody → off" in told
    assert "you (own-page)Profile: off → on" in told
    assert (await pages.engine.settings_changes(pages.ben, limit=5)) == []


async def test_what_is_saved_as_it_was_is_no_change(pages: Pages) -> None:
    person = await pages.person()
    everything = {"record": "on", "recall": "on", "standing": "on"}

    await person.post("/settings", everything)

    assert await pages.engine.settings_changes(pages.anna, limit=5) == []
    assert "Nothing was changed." in await person.text("/reads")


async def test_a_person_writes_instructions_and_reads_the_operators(own_pages: Pages) -> None:
    operators = Flags(operator_instructions="Keep <i>editors</i>.")
    await own_pages.engine.change_flags(operators, ("operator_instructions",))
    person = await own_pages.person()
    switches = {"record": "on", "recall": "on", "standing": "on", "summaries": ""}
    text = "Never remember my health.\r\n</textarea><b>Remember my garden.</b>"

    given = {"instructions": text, "lifetimes": "todo:30,#home:9"}
    page = await person.sent("/settings", switches | given)
    for wrong in ({"instructions": "x" * 2_001}, {"lifetimes": "soon"}):
        assert (await person.post("/settings", switches | wrong)).status == 400
    kept = await own_pages.engine.flags(own_pages.anna)
    await person.post("/settings", switches | {"instructions": " ", "lifetimes": ""})

    assert "Never remember my health.\n&lt;/textarea&gt;&lt;b&gt;Remember my garden." in page
    assert "Keep &lt;i&gt;editors&lt;/i&gt;." in page
    assert "may err" in text_of(page)
    assert 'value="todo:30,#home:9"' in page
    assert kept == Flags(instructions=text.replace("\r\n", "\n"), lifetimes="todo:30,#home:9")
    assert await own_pages.engine.flags(own_pages.anna) == Flags()


async def test_a_person_has_everything_approved_first(own_pages: Pages) -> None:
    person = await own_pages.person()
    rest = {"record": "on", "recall": "on", "standing": "on"}

    await person.post("/settings", rest | {"approve_first": "on"})
    own = await own_pages.engine.flags(own_pages.anna)
    await own_pages.engine.change_flags(Flags(approve_first=True), ("approve_first",))
    page = await person.sent("/settings", rest)

    assert own == Flags(approve_first=True)
    assert await own_pages.engine.flags(own_pages.anna) == own
    assert "The same for everybody." in page
    assert "approve_first" in named(page, disabled=True)
