"""Long-term memory for chat, for programs that embed the engine. It never knows who calls it.

``__all__`` is the public API. Each name is imported when it is first used, so ``import recollect`` is cheap.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from recollect.assembly.lifecycle import open_engine
    from recollect.engine import Engine
    from recollect.errors import (
        ChangeNotFoundError,
        ConfigurationError,
        DuplicateMemoryError,
        EmbedderError,
        MemoryNotFoundError,
        NotUndoableError,
        RecollectError,
        StoreError,
        StoreUnavailableError,
    )
    from recollect.model import (
        Erasure,
        Exchange,
        Kind,
        Memory,
        Message,
        Page,
        Passage,
        Recall,
        Recollection,
        Role,
        Scope,
        Strategy,
        Turn,
        Update,
        Written,
        project_scope,
    )
    from recollect.settings.engine_settings import EngineSettings

    __version__: str

__all__ = [
    "ChangeNotFoundError",
    "ConfigurationError",
    "DuplicateMemoryError",
    "EmbedderError",
    "Engine",
    "EngineSettings",
    "Erasure",
    "Exchange",
    "Kind",
    "Memory",
    "MemoryNotFoundError",
    "Message",
    "NotUndoableError",
    "Page",
    "Passage",
    "Recall",
    "RecollectError",
    "Recollection",
    "Role",
    "Scope",
    "StoreError",
    "StoreUnavailableError",
    "Strategy",
    "Turn",
    "Update",
    "Written",
    "__version__",
    "open_engine",
    "project_scope",
]

_MODULES = {
    "Engine": "recollect.engine",
    "EngineSettings": "recollect.settings.engine_settings",
    "open_engine": "recollect.assembly.lifecycle",
}
"""Where a public name is defined, if it is neither an error nor a noun of the model."""


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from importlib import metadata  # noqa: PLC0415 -- it takes longer to import than all else here

        return metadata.version("recollect-memory")  # `pyproject.toml` alone names it
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    usual = "recollect.errors" if name.endswith("Error") else "recollect.model"
    return getattr(import_module(_MODULES.get(name, usual)), name)


def __dir__() -> list[str]:
    """Return the public names, imported or not."""
    return sorted({*globals(), *__all__})
