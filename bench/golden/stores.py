"""Opens a store with everything that the people said. Forming it takes minutes, so that exports of it are kept in a folder.

An export holds neither embeddings nor an index: a change of these, or of the schema, takes effect with the same exports.
"""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from bench.engines import Bench, open_bench
from bench.golden.people import Person, of_conversation, of_life
from bench.lives.formation import replay
from bench.lives.life import Life, LifeScript
from bench.lives.recall import open_lives
from bench.recall.dataset import LabelledConversation
from bench.recall.plan import sendings
from bench.report import progress
from recollect_proxy.takeout.export_file import export_document, restore_file


@dataclass(frozen=True, slots=True)
class People:
    """The people of the golden file.

    Attributes:
        lives: People whose statements are formed from their chats.
        conversations: Conversations between people, of which there is only the message log.
        cache: The folder of the exports.
    """

    lives: Sequence[Life]
    conversations: Sequence[LabelledConversation]
    cache: Path

    @property
    def all(self) -> list[Person]:
        """All of them, in order."""
        return [*map(of_life, self.lives), *map(of_conversation, self.conversations)]

    def export(self, name: str) -> Path:
        """Return the path of a person's export, by their chats."""
        chats = [repr(each.chats) for each in self.lives if each.person == name]
        chats += [repr(each.turns) for each in self.conversations if each.id == name]
        return self.cache / f"{name}-{sha256(chats[0].encode()).hexdigest()[:12]}.json"


@asynccontextmanager
async def open_people(people: People) -> AsyncIterator[Bench]:
    """Open a store with everything that these people said, indexed and embedded by today's code."""
    missing = [each for each in people.all if not people.export(each.id).is_file()]
    if missing:
        await _export(people, {each.id for each in missing})
    async with open_bench() as bench:
        for each in people.all:
            bench.clock.restart()
            bench.clock.move_to(each.last)
            await restore_file(bench.engine, people.export(each.id), each.id)
            await bench.form(each.id)
        yield bench


async def _export(people: People, missing: set[str]) -> None:
    """Form the chats of the missing people, and write their exports."""
    people.cache.mkdir(parents=True, exist_ok=True)
    lives = [each for each in people.lives if each.person in missing]
    async with open_lives(lives, None) as bench:
        for life in lives:
            await replay(bench, life)
            await _write(bench, life.person, people)
        for each in people.conversations:
            if each.id in missing:
                await _log(bench, each)
                await _write(bench, each.id, people)


async def _log(bench: Bench, conversation: LabelledConversation) -> None:
    """Have a conversation logged, without any statement."""
    bench.scripts[conversation.id] = LifeScript(Life(conversation.id, "", (), ()))
    bench.clock.restart()
    for each in sendings(conversation):
        at = each.turn.at or bench.clock()
        await bench.say(conversation.id, each.turn.session, each.turn.id, each.messages, each.reply, at)
        await bench.form(conversation.id)


async def _write(bench: Bench, person: str, people: People) -> None:
    path = people.export(person)
    partly = path.with_suffix(".part")
    with partly.open("wb") as file:
        async for piece in export_document(bench.engine, person, at=bench.clock()):
            file.write(piece)
    partly.rename(path)
    progress(f"{path.name} written")
