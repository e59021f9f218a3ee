"""The exact scan of one person's statements beside an HNSW index with iterative scan (pgvector 0.8). Never: the store's own search."""

import os
import time
from collections.abc import Sequence
from typing import Any

import asyncpg
from pgvector import HalfVector

from bench.speed.arithmetic import percentile

_EQUAL = 1e-6
"""Distances that differ by less are of vectors equally far."""

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


async def compare_hnsw(dsn: str, user_id: str, size: int, asks: int) -> dict[str, Any]:
    """Build an index over the store, ask by it and without it, drop it, and return figures: times in milliseconds.

    Asked is for vectors of the store that are moved a little more: each is between the texts and their noise.
    """
    connection = await asyncpg.connect(dsn)
    try:
        await connection.execute(
            "SET search_path = recollect, public; SET maintenance_work_mem = '1GB'; SET jit = off"
        )
        dimensions = await connection.fetchval('SELECT vector_dims("values") FROM vectors LIMIT 1')
        asked = await connection.fetch(
            'SELECT l2_normalize(a."values" + b."values") AS vector '
            'FROM (SELECT "values", row_number() OVER () AS n FROM vectors WHERE owner = $1 LIMIT $2) AS a '
            'JOIN (SELECT "values", row_number() OVER (ORDER BY id DESC) AS n FROM vectors WHERE owner = $1 LIMIT $2) AS b USING (n)',
            user_id,
            asks,
        )
        vectors = [row["vector"] for row in asked]
        exact = await _asked(connection, _EXACT, user_id, vectors, "")
        began = time.perf_counter()
        await connection.execute(_INDEX.format(dimensions=dimensions), timeout=None)
        built = time.perf_counter() - began
        near = await _asked(connection, _BY_INDEX.format(dimensions=dimensions), user_id, vectors, _SCAN)
        bytes_of_index = await connection.fetchval("SELECT pg_relation_size('vectors_near')")
        total = await connection.fetchval("SELECT count(*) FROM vectors")
        await connection.execute("DROP INDEX vectors_near")
    finally:
        await connection.close()
    shares = [_found(one, other) for one, other in zip(exact[1], near[1], strict=True)]
    return {
        "statements": size,
        "total": total,
        "exact_p50": percentile(exact[0], 0.5),
        "exact_p95": percentile(exact[0], 0.95),
        "hnsw_p50": percentile(near[0], 0.5),
        "hnsw_p95": percentile(near[0], 0.95),
        "found": sum(shares) / len(shares),
        "build_seconds": built,
        "megabytes": bytes_of_index / 1e6,
        "load": os.getloadavg()[0],
    }


def _found(exact: Sequence[float], near: Sequence[float]) -> float:
    """Return the share of the exact hundred that the index found: by distance, as several may be equally far."""
    return sum(each <= max(exact) + _EQUAL for each in near) / max(1, len(exact))


async def _asked(
    connection: "asyncpg.Connection[asyncpg.Record]",
    query: str,
    user_id: str,
    vectors: Sequence[HalfVector],
    settings: str,
) -> tuple[list[float], list[list[float]]]:
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
