"""Where bytes of an erased person still lie in the database's files, and what takes them away: docs/how-to/erase-a-person.md."""

import re
from pathlib import Path

import pytest
from tests.recollect.store.users.test_erasure import NAME, live_a_little
from tests.servers.databases import administrator
from tests.support.stores import LATER, Store

from recollect.store.users.portability import VACUUMED_TABLES

PAGE = Path(__file__).parents[4] / "docs" / "how-to" / "erase-a-person.md"


async def files_with_the_name(dsn: str) -> dict[str, set[str]]:
    """Return the files that hold the name once all is written: the database's own, and the write-ahead log's."""
    async with administrator(dsn) as connection:
        await connection.execute("CHECKPOINT")
        data = Path(await connection.fetchval("SHOW data_directory"))
        number = await connection.fetchval("SELECT oid FROM pg_database WHERE datname = current_database()")
    return {
        "tables": _holding(data / "base" / str(number)),
        "write-ahead log": _holding(data / "pg_wal"),
    }


def _holding(folder: Path) -> set[str]:
    if not folder.is_dir():
        pytest.skip("the database server is on another machine")
    return {each.name for each in folder.iterdir() if each.is_file() and NAME.encode() in each.read_bytes()}


def statements() -> list[str]:
    """Return the statements that the page says to run."""
    blocks = re.findall(r"```sql\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)
    return [each.strip() for block in blocks for each in block.split(";") if each.strip()]


async def test_what_the_page_says_to_run_leaves_nothing_in_the_tables_files(
    own_store: Store, own_dsn: str
) -> None:
    await live_a_little(own_store)
    assert (await files_with_the_name(own_dsn))["tables"], "it is there to be found"

    await own_store.memories.erase(NAME, at=LATER)
    erased = await files_with_the_name(own_dsn)
    async with administrator(own_dsn) as connection:
        for statement in statements():
            await connection.execute(statement)
    rewritten = await files_with_the_name(own_dsn)

    assert erased["tables"], "a deleted row stays in its file: the page says so"
    assert rewritten["tables"] == set()
    assert rewritten["write-ahead log"], (
        "what was written stays in the log until that is recycled: the page says so"
    )


def test_the_page_rewrites_every_table_that_is_erased_from() -> None:
    named = {name for each in statements() for name in re.findall(r"recollect\.(\w+)", each)}

    assert named >= set(VACUUMED_TABLES)
