"""One person's nearest statements three ways: all measured, by sketches, and by HNSW with iterative scan (pgvector 0.8). Never: a whole recall."""

import os
import time
from collections.abc import Sequence
from typing import Any, TypeAlias

import asyncpg

from bench.speed.arithmetic import percentile
from recollect.postgres.searching import Sought, memories_by_sketches
from recollect.postgres.sql import SQL

_Found: TypeAlias = tuple[list[float], list[list[float]]]
"""What each question took, in milliseconds, and the distances of what it found, the nearest first."""

_EQUAL = 1e-6
"""Distances that differ by less are of vectors equally far."""

_LIMIT, _BEST = 100, 20

_DISTANCES = """
SELECT "values" <=> $2::halfvec FROM vectors WHERE owner = $1 AND id = ANY ($3::uuid[])
"""
_EXACT = """
SELECT "values" <=> $2::halfvec FROM vectors WHERE owner = $1 AND valid_to IS NULL ORDER BY "values" <=> $2::halfvec LIMIT 100
"""
_BY_INDEX = """
SELECT "values" <=> $2::halfvec FROM vectors WHERE owner = $1 AND valid_to IS NULL
ORDER BY ("values"::halfvec({dimensions})) <=> $2::halfvec LIMIT 100
"""
_INDEX = """
CREATE INDEX vectors_near ON vectors USING hnsw (("values"::halfvec({dimensions})) halfvec_cosine_ops) WHERE valid_to IS NULL
"""
_SCAN = """
SET LOCAL hnsw.iterative_scan = relaxed_order; SET LOCAL hnsw.ef_search = 200; SET LOCAL hnsw.max_scan_tuples = 200000;
SET LOCAL hnsw.scan_mem_multiplier = 8; SET LOCAL enable_seqscan = off;
SET LOCAL enable_bitmapscan = off; SET LOCAL enable_sort = off;
"""


async def compare_nearest(dsn: str, user_id: str, size: int, asks: int, *, hnsw: bool) -> dict[str, Any]:
    """Ask each way, and return figures: times in milliseconds, and which share of the exact is found.

    Asked is for vectors of the store that are moved a little more: each is between the texts and their noise. For HNSW an
    index over the store is built, and dropped.
    """
    connection = await asyncpg.connect(dsn)
    try:
        await connection.execute(
            "SET search_path = recollect, public; SET maintenance_work_mem = '1GB'; SET jit = off; SET plan_cache_mode = force_custom_plan"
        )
        vectors = await _vectors(connection, user_id, asks)
        exact = await _asked(connection, _EXACT, user_id, vectors, "")
        sketched = await _by_sketches(connection, user_id, vectors)
        told = {
            "statements": size,
            "total": await connection.fetchval("SELECT count(*) FROM vectors"),
            **_figures("exact", exact, exact),
            **_figures("sketches", sketched, exact),
        }
        if hnsw:
            told |= await _by_hnsw(connection, user_id, vectors, exact)
    finally:
        await connection.close()
    return told | {"load": os.getloadavg()[0]}


async def _vectors(connection: "asyncpg.Connection[asyncpg.Record]", user_id: str, asks: int) -> list[str]:
    asked = await connection.fetch(
        'SELECT l2_normalize(a."values" + b."values") AS vector '
        'FROM (SELECT "values", row_number() OVER () AS n FROM vectors WHERE owner = $1 LIMIT $2) AS a '
        'JOIN (SELECT "values", row_number() OVER (ORDER BY id DESC) AS n FROM vectors WHERE owner = $1 LIMIT $2) AS b USING (n)',
        user_id,
        asks,
    )
    return [row["vector"] for row in asked]


async def _by_hnsw(
    connection: "asyncpg.Connection[asyncpg.Record]", user_id: str, vectors: Sequence[str], exact: _Found
) -> dict[str, Any]:
    dimensions = await connection.fetchval('SELECT vector_dims("values") FROM vectors LIMIT 1')
    began = time.perf_counter()
    await connection.execute(_INDEX.format(dimensions=dimensions), timeout=None)
    built = time.perf_counter() - began
    near = await _asked(connection, _BY_INDEX.format(dimensions=dimensions), user_id, vectors, _SCAN)
    bytes_of_index = await connection.fetchval("SELECT pg_relation_size('vectors_near')")
    await connection.execute("DROP INDEX vectors_near")
    return {
        **_figures("hnsw", near, exact),
        "build_seconds": built,
        "megabytes": bytes_of_index / 1e6,
    }


async def _by_sketches(
    connection: "asyncpg.Connection[asyncpg.Record]", user_id: str, vectors: Sequence[str]
) -> _Found:
    took, found = [], []
    model = await connection.fetchval("SELECT embedding_model FROM vectors WHERE owner = $1 LIMIT 1", user_id)
    dimensions = await connection.fetchval(
        'SELECT vector_dims("values") FROM vectors WHERE owner = $1 LIMIT 1', user_id
    )
    sought = Sought(None, model, None, "", (), _LIMIT, log=False, verbatim=True)
    name, given = memories_by_sketches(sought)
    async with connection.transaction():
        await connection.execute(SQL["plan_for_sketches"])
        prepared = await connection.prepare(SQL[name])
        for vector in [*vectors[:3], *vectors]:
            began = time.perf_counter()
            rows = await prepared.fetch(user_id, vector, model, dimensions, *given[3:])
            took.append((time.perf_counter() - began) * 1000)
            ids = [row["id"] for row in rows]
            found.append(sorted(row[0] for row in await connection.fetch(_DISTANCES, user_id, vector, ids)))
    return took[3:], found[3:]


def _figures(way: str, asked: _Found, exact: _Found) -> dict[str, float]:
    def share(best: int) -> float:
        """Return the share of the exact that is found: by distance, as several may be equally far."""
        shares = [
            sum(each <= all_of[:best][-1] + _EQUAL for each in near) / len(all_of[:best])
            for all_of, near in zip(exact[1], asked[1], strict=True)
        ]
        return sum(min(1.0, each) for each in shares) / len(shares)

    return {
        f"{way}_p50": percentile(asked[0], 0.5),
        f"{way}_p95": percentile(asked[0], 0.95),
        f"{way}_found_{_BEST}": share(_BEST),
        f"{way}_found_{_LIMIT}": share(_LIMIT),
    }


async def _asked(
    connection: "asyncpg.Connection[asyncpg.Record]",
    query: str,
    user_id: str,
    vectors: Sequence[str],
    settings: str,
) -> _Found:
    """Return what each query took, and the distances of what it found."""
    took, found = [], []
    async with connection.transaction():
        if settings:
            await connection.execute(settings)
        prepared = await connection.prepare(query)
        for vector in [*vectors[:3], *vectors]:
            began = time.perf_counter()
            rows = await prepared.fetch(user_id, vector)
            took.append((time.perf_counter() - began) * 1000)
            found.append([row[0] for row in rows])
    return took[3:], found[3:]
