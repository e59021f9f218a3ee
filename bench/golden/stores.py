"""Opens a store with everything that the people said. Forming it takes minutes, so that exports of it are kept in a folder.

An export holds neither embeddings nor an index: a change of these, or of the schema, takes effect with the same exports.
"""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from hashlib import sha256
from pathlib import Path

from bench.engines import Bench, open_bench
from bench.golden.people import Person
from bench.lives.life import Life
from bench.lives.recall import open_lives
from bench.report import progress
from recollect_proxy.takeout.export_file import export_document, restore_file


@asynccontextmanager
async def open_people(people: Sequence[Person], lives: Sequence[Life], cache: Path) -> AsyncIterator[Bench]:
    """Open a store with everything that these people said, indexed and embedded by today's code."""
    exports = {
        each.id: cache / f"{each.id}-{sha256(each.told.encode()).hexdigest()[:12]}.json" for each in people
    }
    if missing := [each for each in people if not exports[each.id].is_file()]:
        async with open_lives(lives, None) as bench:
            for each in missing:
                await each.tell(bench)
                await _write(bench, each.id, exports[each.id])
    async with open_bench() as bench:
        for each in people:
            bench.clock.restart()
            bench.clock.move_to(each.last)
            await restore_file(bench.engine, exports[each.id], each.id)
            await bench.form(each.id)
        yield bench


async def _write(bench: Bench, person: str, path: Path) -> None:
    partly = path.with_suffix(".part")
    with partly.open("wb") as file:
        async for piece in export_document(bench.engine, person, at=bench.clock()):
            file.write(piece)
    partly.rename(path)
    progress(f"{path.name} written")
