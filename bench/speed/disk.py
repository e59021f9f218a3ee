"""Measures the disk that messages take.

    python -m bench disk --data CONVERSATIONS...

Labelled conversations (bench/README.md) are said into an embedded Postgres, each as one person's: appended to the log, indexed word
by word, each part with an embedding of the shipped size that is made up. Every tenth message is kept as a statement, too. Then
each table is measured, with its indexes.
"""

import asyncio
from collections.abc import Sequence
from pathlib import Path

from tests.servers.databases import administrator
from uuid_utils.compat import uuid7

from bench.engines import open_bench
from bench.figures import number
from bench.recall.conversations import LabelledConversation, read_conversations
from bench.report import options_of, publish, table
from bench.servers import postgres
from bench.speed.made_up import Filler

_OF_A_FILE = 2
"""Conversations of each file."""
_MESSAGES_A_STATEMENT = 10
"""Messages for each statement, as an extraction model keeps them of these conversations."""

_SAID = """
SELECT count(*) AS messages, count(DISTINCT user_id) AS people, sum(length(content)) AS characters FROM recollect.messages
"""
_SIZES = """
SELECT relname AS name, pg_total_relation_size(oid) AS bytes, pg_table_size(oid) AS rows
FROM pg_class WHERE relnamespace = 'recollect'::regnamespace AND relkind = 'r' ORDER BY bytes DESC
"""


async def measure(dsn: str, conversations: Sequence[LabelledConversation]) -> str:
    """Fill a store, and return the sizes of its tables as Markdown, the largest first."""
    async with open_bench(database_url=dsn) as bench:
        filler = Filler(bench)
        for each in conversations:
            person = str(uuid7())  # as long as an OpenWebUI's user id
            told = [turn for turn in each.turns if turn.text.strip()]
            first = (" ".join(turn.text.split()[:12]) for turn in told[::_MESSAGES_A_STATEMENT])
            await filler.keep(person, [f"{words} ({uuid7()})" for words in first])
            pairs = zip(told[::2], told[1::2], strict=False)
            await filler.log(person, ((said.session, said.text, reply.text) for said, reply in pairs))
    async with administrator(dsn) as connection:
        await connection.execute("VACUUM ANALYZE")
        [row] = await connection.fetch(_SAID)
        sizes = [tuple(each) for each in await connection.fetch(_SIZES)]
    messages = row["messages"]
    sizes.append(("everything", *(sum(each[n] for each in sizes) for n in (1, 2))))
    cells = [
        (name, number(size / 1e6), number(rows / messages, 0), number((size - rows) / messages, 0))
        for name, size, rows in sizes
        if size >= sizes[-1][1] / 1000
    ]
    characters = number(row["characters"] / messages, 0)
    about = f"{messages:,} messages of {row['people']} people, {characters} characters each"
    heads = ("table with its indexes", "MB", "bytes a message of the table", "of its indexes")
    return f"{about}\n\n{table(heads, cells)}"


def main() -> None:
    """Print the table."""
    parser = options_of(__doc__)
    parser.add_argument("--data", type=Path, nargs="+", required=True, help="labelled conversations")
    given = parser.parse_args()
    read = [each for path in given.data for each in read_conversations(path)[:_OF_A_FILE]]
    with postgres() as dsn:
        publish(given, "What messages take on the disk", asyncio.run(measure(dsn, read)))
