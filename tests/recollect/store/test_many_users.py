"""A thousand exchanges of twenty users at once, with repetitions and contradictions: nothing doubles, mixes or is lost."""

import asyncio
import random
import re
from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from datetime import timedelta

import pytest
from tests.scripted.models import WordEmbedder
from tests.support.recollections import NOON, turn
from uuid_utils.compat import uuid7

from recollect.audit_rows import replay
from recollect.engine import Backends, Engine
from recollect.engine.policy import Batching, Policy
from recollect.errors import ChangeNotFoundError, MemoryNotFoundError
from recollect.model import Action, Candidate, Exchange, Kind, Memory, Relation, Scope, Strategy
from recollect.ports import Extracted
from recollect.recall import Reach
from recollect.store import Postgres, open_postgres

USERS = [f"user-{number}" for number in range(20)]
EXCHANGES = 50
TOWNS = ["Kassel", "Leipzig", "Bremen", "Mainz", "Erfurt", "Passau", "Trier"]
THINGS = ["tea", "chess", "opera", "rowing"]

_HOME = re.compile(r"I live in \w+ now")
_TASTE = re.compile(r"I like \w+")


@pytest.fixture
async def postgres(own_dsn: str) -> AsyncIterator[Postgres]:
    """The store in a database of the test's own; its leases are as long as they usually are."""
    opened = await open_postgres(own_dsn)
    yield opened
    await opened.aclose()


class PatternExtractor:
    """Finds homes and tastes by their wording; of a home it says that it contradicts the one before."""

    async def extract(self, exchanges: Sequence[Exchange], known: Sequence[Memory]) -> Extracted:
        """Return the statements in what was said."""
        found = []
        home = next(
            (number for number, each in enumerate(known) if each.content.startswith("Lives in")), None
        )
        for exchange in exchanges:
            for home_words in _HOME.findall(exchange.turn.text)[-1:]:
                town = home_words.split()[3]
                relation = Relation.NEW if home is None else Relation.CONTRADICTS
                found.append(
                    Candidate(
                        f"Lives in {town}",
                        Kind.FACT,
                        0.7,
                        home_words,
                        relation=relation,
                        about=() if home is None else (home,),
                    )
                )
            found += [
                Candidate(f"Likes {words.split()[2]}", Kind.PREFERENCE, 0.5, words)
                for words in _TASTE.findall(exchange.turn.text)
            ]
        return Extracted(tuple(found))

    async def aclose(self) -> None:
        """Let go of nothing."""


def engine_over(postgres: Postgres) -> Engine:
    backends = Backends(
        postgres, embedder=WordEmbedder(), log_embedder=WordEmbedder(), extractor=PatternExtractor()
    )
    unindexed = Reach(log=False, lexical=False)  # which has tests of its own, and takes its time
    policy = Policy(strategy=Strategy.EXTRACT, batching=Batching(turns=4), reach=unindexed)
    return Engine(backends, policy)


def said(user_id: str, number: int, chance: random.Random) -> tuple[str, str]:
    town, thing = chance.choice(TOWNS), chance.choice(THINGS)
    return f"Hello {number}. I live in {town} now. I like {thing}, of {user_id}.", town


@pytest.mark.slow
async def test_a_thousand_exchanges_of_twenty_users_leave_a_store_that_adds_up(postgres: Postgres) -> None:
    chance = random.Random(20261122)
    engines = [engine_over(postgres), engine_over(postgres)]
    towns: dict[str, list[str]] = {user_id: [] for user_id in USERS}
    begins = NOON - timedelta(days=1)

    async def talk(user_id: str) -> None:
        for number in range(EXCHANGES):
            text, town = said(user_id, number, chance)
            towns[user_id].append(town)
            spoken = turn(text)
            at = begins + timedelta(seconds=number)
            spoken = replace(spoken, scope=Scope(user_id, f"chat-{number % 3}"), key=f"m{number}", at=at)
            # A frontend sends the same again, and several answers come to one message.
            await asyncio.gather(*(each.remember(spoken, "I see.") for each in engines))

    async def form() -> None:
        for user_id in USERS * 3:
            await chance.choice(engines).drain(user_id)

    await asyncio.gather(*map(talk, USERS), form(), form())
    await asyncio.gather(*(engine.drain(user_id) for user_id in USERS for engine in engines))
    for user_id in USERS:
        await engines[0].drain(user_id)  # where the other engine held the lease

    backlog = await postgres.inbox.backlog()
    assert (backlog.pending, backlog.failed, backlog.formed) == (0, 0, len(USERS) * EXCHANGES)
    for user_id in USERS:
        await _adds_up(postgres, user_id, towns[user_id])


async def _adds_up(postgres: Postgres, user_id: str, towns: Sequence[str]) -> None:
    memories = (await postgres.memories.page(user_id, limit=200)).memories
    contents = [memory.content for memory in memories]
    assert len(contents) == len(set(contents))
    assert [each for each in contents if each.startswith("Lives in")] == [f"Lives in {towns[-1]}"]
    assert {each for each in contents if each.startswith("Likes")} <= {f"Likes {each}" for each in THINGS}
    assert all(memory.owner == user_id for memory in memories)

    history = await postgres.memories.history(user_id, limit=10_000)
    oldest_first = history[::-1]
    assert replay(oldest_first) == {memory.id for memory in memories}
    moves = [row.after for row in oldest_first if (row.after or "").startswith("Lives in")]
    told = [row.after for row in oldest_first if row.action is not Action.REINFORCE and row.after in moves]
    # In the order they were said; a town that is named twice in a row is no move.
    expected = [
        f"Lives in {town}" for number, town in enumerate(towns) if town != towns[number - 1] or not number
    ]
    assert _is_subsequence(told, expected)  # what is said in one batch may be one move
    assert len(told) >= len(expected) / 4


def _is_subsequence(some: Sequence[str | None], whole: Sequence[str | None]) -> bool:
    rest = iter(whole)
    return all(any(each == other for other in rest) for each in some)


async def test_ids_of_others_mean_nothing(postgres: Postgres) -> None:
    engine = engine_over(postgres)
    theirs = await engine.add("user-1", "Lives in Kassel")
    mine = await engine.add("user-2", "Lives in Mainz")
    history = await engine.history("user-1")

    class Naming(PatternExtractor):
        """Names the memory of another user wherever a memory can be named."""

        async def extract(self, exchanges: Sequence[Exchange], known: Sequence[Memory]) -> Extracted:
            assert [each.id for each in known] == [mine.id]
            found = await super().extract(exchanges, known)
            number = theirs.id.int
            return Extracted(
                tuple(
                    replace(
                        each,
                        content=f"{each.content} ({theirs.id})",
                        relation=relation,
                        about=(about,),
                        unsettles=(number, 1, -1),
                    )
                    for each in found.candidates
                    for relation, about in (
                        (Relation.CONTRADICTS, number),
                        (Relation.REPEATS, 1),
                        (Relation.REFINES, -1),
                    )
                )
            )

    other = Engine(replace(engine._backends, extractor=Naming()), Policy(strategy=Strategy.EXTRACT))
    spoken = replace(turn("I live in Bremen now"), scope=Scope("user-2", "chat"), key=str(uuid7()))
    await other.remember(spoken, "I see.")
    await other.drain("user-2")

    assert await engine.get("user-1", theirs.id) == theirs
    assert await engine.history("user-1") == history
    assert (await engine.get("user-2", mine.id)).content == "Lives in Mainz"
    with pytest.raises(MemoryNotFoundError):
        await engine.get("user-2", theirs.id)
    [update] = history
    with pytest.raises(ChangeNotFoundError):
        await engine.undo("user-2", update.id)
