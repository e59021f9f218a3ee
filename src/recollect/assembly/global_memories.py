"""Keeps the memories of a file for users who have few of their own. Never: who these are."""

from pathlib import Path

from recollect.assembly.files import GLOBAL_MEMORIES
from recollect.engine import Engine
from recollect.errors import ConfigurationError
from recollect.settings import EngineSettings

_LONGEST = 1_000
_MOST = 200


async def keep_global_memories(engine: Engine, path: Path | None) -> None:
    """Keep exactly the memories of a file, one a line; without a file, those that the store has.

    Those of another embedder are embedded anew; an embedder that is away keeps nobody from starting.

    Empty lines, and those that begin with ``#``, are left out.

    Raises:
        ConfigurationError: The file can't be read, or holds too much.
        StoreError: The store failed.
    """
    await engine.keep_globals(None if path is None else read_global_memories(path))


def read_global_memories(path: Path) -> list[str]:
    """Return the memories of a file.

    Raises:
        ConfigurationError: It can't be read, or holds too much.
    """
    try:
        text = path.read_text("utf-8")
    except (OSError, UnicodeError) as error:
        problem = f"{type(error).__name__}"
        raise ConfigurationError(f"Memories for everybody: {path} can't be read: {problem}.") from None
    lines = [" ".join(line.split()) for line in text.splitlines()]
    memories = [line for line in lines if line and not line.startswith("#")]
    if len(memories) > _MOST or any(len(line) > _LONGEST for line in memories):
        raise ConfigurationError(
            f"Memories for everybody: {path} may hold {_MOST} lines at most, each of {_LONGEST} characters."
        )
    return memories


def file_of_global_memories(settings: EngineSettings) -> Path | None:
    """Return the file of memories for everybody; a database in memory has those alone that code gives it."""
    return settings.global_memories or (None if settings.in_memory else settings.file(GLOBAL_MEMORIES))


def check_global_memories(settings: EngineSettings) -> None:
    """Read the memories for everybody as a start would, if there is a file of them.

    Raises:
        ConfigurationError: It can't be read, or holds too much.
    """
    if (path := file_of_global_memories(settings)) is not None:
        read_global_memories(path)
