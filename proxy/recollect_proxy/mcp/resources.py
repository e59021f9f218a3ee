"""The resources: what is known of a person in short, and single memories. Never: a transport."""

from typing import Annotated
from uuid import UUID

from pydantic import Field

from recollect_proxy.mcp.caller import Caller
from recollect_proxy.mcp.shapes import Item, Told

PROFILE = "memory://profile"
MEMORY = "memory://memories/"


class ProfileDocument(Told):
    """What is known of a person, in short."""

    known: Annotated[int, Field(description="How many statements are known that hold now.")]
    statements: Annotated[list[Item], Field(description="Those that matter most, the most important first.")]


class MemoryDocument(Told):
    """One memory."""

    memory: Item


async def read_profile(caller: Caller) -> ProfileDocument:
    """Return what matters most of what is known."""
    await caller.reads("read_profile")
    profile = await caller.memories.profile(caller.user_id)
    return ProfileDocument(known=profile.count, statements=[Item.of(each) for each in profile.statements])


async def read_memory(caller: Caller, memory_id: UUID) -> MemoryDocument:
    """Return one memory.

    Raises:
        MemoryNotFoundError: The user has no such memory.
    """
    await caller.reads("read_memory")
    return MemoryDocument(memory=Item.of(await caller.memories.one(caller.user_id, memory_id)))
