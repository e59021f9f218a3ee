"""Names the files that the engine reads from the data folder, and reads the memories for everybody."""

from pathlib import Path

from recollect.errors import ConfigurationError
from recollect.settings.engine_settings import EngineSettings

INSTRUCTIONS = "instructions.toml"
GLOBAL_MEMORIES = "global-memories.txt"

FILES = {
    INSTRUCTIONS: "Instructions of your own for the extraction model, for all models or some: `[[instructions]]` with "
    '`models = "*coder*"` and `text = "..."`.',
    GLOBAL_MEMORIES: "Memories, one a line, that serve users who have fewer than five of their own.",
}
"""The purpose of each file, by its name."""


_LONGEST = 1_000
_MOST = 200


def read_global_memories(path: Path) -> list[str]:
    """Return the memories of a file, one a line; empty lines and those that begin with ``#`` are left out.

    Raises:
        ConfigurationError: It can't be read, or holds too much.
    """
    try:
        text = path.read_text("utf-8")
    except (OSError, UnicodeError) as error:
        raise ConfigurationError(
            f"Memories for everybody: {path} can't be read: {type(error).__name__}."
        ) from None
    lines = [" ".join(line.split()) for line in text.splitlines()]
    memories = [line for line in lines if line and not line.startswith("#")]
    if len(memories) > _MOST or any(len(line) > _LONGEST for line in memories):
        raise ConfigurationError(
            f"Memories for everybody: {path} may hold {_MOST} lines at most, each of {_LONGEST} characters."
        )
    return memories


def file_of_global_memories(settings: EngineSettings) -> Path | None:
    """Return the file of memories for everybody; a database in memory has none."""
    return None if settings.in_memory else settings.file(GLOBAL_MEMORIES)


def check_global_memories(settings: EngineSettings) -> None:
    """Read the memories for everybody as a start would, if there is a file of them; raise as ``read_global_memories``."""
    if (path := file_of_global_memories(settings)) is not None:
        read_global_memories(path)
