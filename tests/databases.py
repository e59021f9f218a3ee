"""Databases for tests, created and dropped on a server. Never: a test."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from urllib.parse import urlsplit
from uuid import uuid4

import asyncpg


@asynccontextmanager
async def administrator(dsn: str) -> AsyncIterator["asyncpg.Connection[asyncpg.Record]"]:
    connection = await asyncpg.connect(dsn)
    try:
        yield connection
    finally:
        await connection.close()


@asynccontextmanager
async def new_database(server: str, template: str = "template1") -> AsyncIterator[str]:
    """Create a database, yield its dsn, and drop it."""
    name = f"recollect_test_{uuid4().hex}"
    async with administrator(server) as connection:
        await connection.execute(f"CREATE DATABASE {name} TEMPLATE {template}")
    try:
        yield urlsplit(server)._replace(path=f"/{name}").geturl()
    finally:
        async with administrator(server) as connection:
            await connection.execute(f"DROP DATABASE {name} WITH (FORCE)")
