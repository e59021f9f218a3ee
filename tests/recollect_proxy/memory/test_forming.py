"""Memories are formed of what is said, through a proxy: edits, wishes, summaries."""

from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID, uuid4

import pytest
from tests.recollect_proxy.chat.spoken import replies
from tests.recollect_proxy.frontends import Frontend, LastOnly, Sent
from tests.recollect_proxy.own_proxies import serves
from tests.scripted.extraction import Lesson, Pupil, asked_for, shown
from tests.scripted.upstream import ScriptedUpstream
from tests.servers.running_proxy import RunningProxy, User
from tests.support.waiting import until

from recollect.model import Kind, Memory, Scope

PALMER = "My dentist is Doctor Palmer in Mill Lane."
QUILL = "My dentist is Doctor Quill in Castle Street."
WHICH_DENTIST = "Who is my dentist, and in which street?"
VOLVO = "I drive a green Volvo."
SAAB = "I drive a black Saab now."
BOAT = "My boat Heron lies in Falmouth."


@dataclass
class Thread(Frontend):
    """A chat whose frontend says of each message which it is, and on which it follows."""

    ids: list[str] = field(default_factory=list)

    async def says(self, text: str | list[dict[str, Any]]) -> Sent:
        """Say the next thing."""
        parent = self.ids[-1] if self.ids else ""
        self.ids += f"said-{uuid4()}", f"answered-{uuid4()}"
        self.headers = [
            (b"X-Recollect-Message", self.ids[-2].encode()),
            (b"X-Recollect-Parent", parent.encode()),
        ]
        return await super().says(text)

    async def edits(self, text: str, *, back: int = 1) -> Sent:
        """Say something else in the place of the message that many turns back."""
        self.back(back)
        del self.ids[-2 * back :]
        return await self.says(text)


@pytest.fixture
def thread(proxy: RunningProxy, upstream: ScriptedUpstream, user: User) -> Thread:
    return Thread(proxy, upstream, user, chat="thread")


@pytest.fixture
def taught(pupil: Pupil) -> Pupil:
    pupil.lessons += [Lesson(each) for each in (PALMER, QUILL, VOLVO, BOAT)]
    pupil.lessons.append(Lesson(SAAB, "I drive a black Saab.", "contradicts", VOLVO))
    return pupil


async def asked(thread: Thread, question: str) -> str:
    """Ask in a new chat, and return the whole prompt."""
    sent = await Frontend(thread.proxy, thread.upstream, thread.user, chat=f"new-{uuid4()}").says(question)
    await thread.proxy.formed(thread.user)
    return sent.text


async def formed(thread: Thread) -> list[str]:
    return await thread.proxy.statements(thread.user)


@pytest.mark.usefixtures("taught")
async def test_an_edited_first_message_takes_the_place_of_what_it_taught(thread: Thread) -> None:
    await thread.says(PALMER)
    assert await formed(thread) == [PALMER]

    await thread.edits(QUILL)

    assert await formed(thread) == [QUILL]
    told = await asked(thread, WHICH_DENTIST)
    assert "Quill" in told
    assert "Palmer" not in told


SMALL_TALK = "Thanks a lot."


@pytest.fixture
def answering(upstream: ScriptedUpstream) -> ScriptedUpstream:
    """The LLM, in whatever API it is asked."""
    upstream.otherwise = replies("All right.")
    return upstream


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


# -- summaries -------------------------------------------------------------------------------------

SUMMARY = "Plans to paint the boat Albatros in blue, and looks for a new sail."
TURNS = 3


summing_up = serves(summary_turns=TURNS)


@pytest.fixture
async def summarizing(
    summing_up: RunningProxy, upstream: ScriptedUpstream, pupil: Pupil
) -> AsyncIterator[RunningProxy]:
    """A proxy that summarizes a chat after every few turns."""
    pupil.summary = SUMMARY
    pupil.outline = {"todos": ["Order a sail for Albatros"], "entities": ["Albatros, a boat"]}
    assert upstream.base_url == summing_up.settings.upstream
    yield summing_up
    await summing_up.all_formed()


@pytest.fixture
def client(summarizing: RunningProxy, upstream: ScriptedUpstream, user: User) -> LastOnly:
    session = [(b"X-Recollect-Session", b"the boat")]
    return LastOnly(summarizing, upstream, user, chat=None, headers=session)


async def summaries(proxy: RunningProxy, user: User, *, but: UUID | None = None) -> list[Memory]:
    """Wait until there is a summary, another one than that, and return all of them."""
    found: list[Memory] = []

    async def is_there() -> bool:
        nonlocal found
        page = await proxy.engine.page(user.known_as, limit=200)
        found = [memory for memory in page.memories if memory.kind is Kind.SUMMARY and memory.id != but]
        return bool(found)

    await until(is_there)
    return found


async def test_a_long_chat_is_summarized_and_a_client_that_sends_its_last_message_alone_is_told_that(
    summarizing: RunningProxy, client: LastOnly, pupil: Pupil, user: User
) -> None:
    for number in range(TURNS):
        await client.says(f"Remark number {number} on my boat Albatros.")
    [summary] = await summaries(summarizing, user)

    sent = await client.says("And the sail?")

    assert summary.content == SUMMARY
    assert summary.outline is not None
    assert summary.outline.todos == ("Order a sail for Albatros",)
    assert len(summary.provenance.message_ids) == 2 * TURNS
    assert f"- Summary: {SUMMARY}" in sent.system
    [asked] = [request for request in pupil.asked if asked_for(request) == "summary"]
    assert "Remark number 0 on my boat Albatros." in shown(asked, "What was said since")[0]
