"""Says which version is installed; ``pyproject.toml`` alone names it."""

from importlib import metadata

__version__ = metadata.version("recollect-memory")
