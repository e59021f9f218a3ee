"""Several worker processes of one Open WebUI remember together, each with an engine of its own."""

import asyncio
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, replace
from itertools import cycle, product
from pathlib import Path

import pytest
from tests.e2e.openwebui.hosts import FILTER, FILTER_NAME, Host, filter_host, learning_from, plain_openwebui
from tests.e2e.openwebui.language_model import LanguageModel, prompt
from tests.e2e.openwebui.people import LISBON, LOCKER, WHERE, WHICH_LOCKER, Conversation, Person, signed_in
from tests.e2e.openwebui.workers import through, workers_of
from tests.servers.databases import running_database
from tests.servers.folders import database_folder
from tests.support.waiting import until

pytestmark = pytest.mark.skipif(
    not Path("/proc/net/tcp").exists(), reason="which worker answers is seen in /proc"
)

WORKERS = 2
_SECONDS = 120.0
OF_ALICE = (
    "My locker at the pool has the number 417.",
    "My sister Ines plays the cello in an orchestra.",
    "I am allergic to peanuts.",
    "My car is a green Fiat from 1998.",
    "I work as a nurse at night.",
    "My favourite dessert is rhubarb crumble.",
    "I was born in Helsinki.",
    "My bicycle was stolen in March.",
    "I collect old postage stamps from Peru.",
    "My landlord is called Mr Osei.",
    "I am learning Portuguese on Tuesdays.",
    "My grandmother taught me how to knit socks.",
)
OF_BOB = (
    "My locker at the gym has the number 88.",
    "My brother Jonas repairs violins.",
    "I am allergic to bee stings.",
    "My van is a white Volvo with a dent.",
    "I work as a carpenter in a shipyard.",
    "My favourite dessert is lemon sorbet.",
    "I was born in Nairobi.",
    "My telescope needs a new mirror.",
    "I keep eleven chess clocks in the attic.",
    "My neighbour is called Mrs Lindqvist.",
    "I am learning to fly gliders on Sundays.",
    "My uncle showed me how to bake rye bread.",
)
ASKED = {
    "Which number does my locker have?": 0,
    "What am I allergic to?": 2,
    "Which dessert is my favourite?": 5,
    "Where was I born?": 6,
}
"""Questions, and which fact of a person's answers each."""


@dataclass(frozen=True)
class Crew:
    """Open WebUI with the filter and several workers."""

    host: Host
    embedded: Path
    ending: AsyncExitStack

    async def workers(self) -> list[int]:
        """Return the ids of the workers, once all are there."""
        return await workers_of(self.host.server, WORKERS)

    async def uses_the_database(self) -> None:
        """Have the filter keep its memories in the host's database."""
        await self._valves(self.host.database.dsn, self.host.server.log_file.parent / "recollect")

    async def brings_its_own(self) -> None:
        """Have the filter keep its memories in a database that it brings along."""
        await self._valves("", self.embedded)

    async def _valves(self, database_url: str, data_dir: Path) -> None:
        await self.host.administrator.change_valves(
            FILTER_NAME, database_url=database_url, data_dir=str(data_dir)
        )

    async def told(self, person: Person, question: str) -> str:
        """Ask in a new chat, and return the prompt that the model was given."""
        chat = Conversation(person)
        await chat.says(question)
        [asked] = self.host.model.of_chat(chat.id)
        return prompt(asked)

    async def recall(self, people: Sequence[Person], question: str, answer: str) -> None:
        """Wait until each of these is told the answer in a new chat."""
        for person in people:

            async def is_told(person: Person = person) -> bool:
                return answer in await self.told(person, question)

            await until(is_told, seconds=_SECONDS)


@pytest.fixture(scope="module")
async def crew(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Crew]:
    folder, model = tmp_path_factory.mktemp("workers"), LanguageModel()
    with database_folder() as other:
        async with running_database() as database, model.upstream, AsyncExitStack() as ending:
            server = await ending.enter_async_context(
                plain_openwebui(folder, model, UVICORN_WORKERS=str(WORKERS))
            )
            administrator = await signed_in(server)
            await administrator.add_filter(FILTER_NAME, FILTER.read_text(), **learning_from(model))
            yield Crew(filter_host(server, administrator, model, database), other, ending)


@pytest.fixture
def host(crew: Crew) -> Iterator[Host]:
    """Open WebUI, of whose filter no hook may fail in silence."""
    before = len(crew.host.server.log)
    yield crew.host
    assert "a chat had no memory" not in crew.host.server.log[before:]


async def talk(people: Sequence[Person], facts: Sequence[str]) -> None:
    """Say the facts in one chat, each through the next of the workers that these are the ways to."""
    chat = Conversation(people[0])
    for person, fact in zip(cycle(people), facts, strict=False):
        chat.person = person
        await chat.says(fact)


async def both_talk_and_are_remembered(crew: Crew, host: Host) -> None:
    """Two people talk at once through both workers; what each said is known in chats of either worker."""
    workers = await crew.workers()
    alice, bob = await host.administrator.add("Alice"), await host.administrator.add("Bob")
    ways = {person: [through(worker, person) for worker in workers] for person in (alice, bob)}

    await asyncio.gather(talk(ways[alice], OF_ALICE), talk(ways[bob][::-1], OF_BOB))

    for person, own in ((alice, OF_ALICE), (bob, OF_BOB)):
        await host.learned(person, *own)
        assert await host.states(person) == ["formed"] * len(own)
        assert await changes(host, person) == sorted(own), "something was formed twice"
    for (question, which), way in product(ASKED.items(), range(WORKERS)):
        for person, own, others in ((alice, OF_ALICE, OF_BOB), (bob, OF_BOB, OF_ALICE)):
            told = await crew.told(ways[person][way], question)
            assert own[which] in told
            assert not [each for each in others if each in told]


async def changes(host: Host, person: Person) -> list[str]:
    """Return what each change of a person's memories left."""
    query = "SELECT after FROM recollect.memory_updates WHERE user_id = $1"
    return sorted(row["after"] for row in await host.rows(query, person.id))


async def test_two_workers_share_one_database(crew: Crew, host: Host) -> None:
    await crew.uses_the_database()

    await both_talk_and_are_remembered(crew, host)


async def test_two_workers_share_the_database_that_they_bring_along(crew: Crew, host: Host) -> None:
    await crew.brings_its_own()
    carol = await host.administrator.add("Carol")
    ways = [through(worker, carol) for worker in await crew.workers()]
    # Each opens an engine now, and one of them the database for both.
    await asyncio.gather(*(Conversation(way).says(LISBON) for way in ways))
    await crew.recall(ways, WHERE, LISBON)

    async with running_database(crew.embedded) as database:
        await both_talk_and_are_remembered(crew, replace(host, database=database))


async def test_both_workers_follow_when_valves_change(crew: Crew, host: Host) -> None:
    await crew.uses_the_database()
    alice = await host.administrator.add("Alice")
    ways = [through(worker, alice) for worker in await crew.workers()]
    await Conversation(ways[0]).says(LISBON)
    await host.learned(alice, LISBON)
    await crew.recall(ways, WHERE, LISBON)

    await crew.brings_its_own()
    for way in ways:
        assert LISBON not in await crew.told(way, WHERE)
    await Conversation(ways[1]).says(LOCKER)
    await crew.recall(ways, WHICH_LOCKER, LOCKER)
    assert await host.memories(alice) == [LISBON]

    await crew.uses_the_database()
    await crew.recall(ways, WHERE, LISBON)
    for way in ways:
        assert LOCKER not in await crew.told(way, WHICH_LOCKER)
