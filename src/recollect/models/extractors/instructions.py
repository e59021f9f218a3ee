"""Reads the operator's instructions for the extraction model from their file, each for all models or for some."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from hashlib import blake2b
from pathlib import Path
from typing import Any

import structlog

from recollect.errors import ConfigurationError

INSTRUCTIONS_LENGTH = 4_000
"""The most characters of all instructions for one model together."""

_NAME_LENGTH = 200  # characters of a model's name that are looked at

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Instruction:
    """One text, and the models it is for.

    Attributes:
        models: Globs of the names of the models that the person may be talking to; case makes no difference.
    """

    models: tuple[str, ...]
    text: str

    def fits(self, name: str) -> bool:
        """Whether it is for the model of that name."""
        folded = name[:_NAME_LENGTH].casefold()
        return any(fnmatchcase(folded, pattern.casefold()) for pattern in self.models)


@dataclass(frozen=True, slots=True)
class Instructions:
    """All of them, in order."""

    entries: tuple[Instruction, ...] = ()

    @classmethod
    def load(cls, path: Path) -> "Instructions":
        """Read a TOML file: tables ``[[instructions]]``, each with ``text``, and ``models`` if not for all.

        ``models`` is a glob ("*coder*") or a list of globs.

        Raises:
            ConfigurationError: It can't be read, or is not so.
        """
        try:
            content = tomllib.loads(path.read_text("utf-8"))
        except OSError as error:
            raise ConfigurationError(f"{path} can't be read: {error.strerror}.") from error
        except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
            raise ConfigurationError(f"{path} is no TOML in UTF-8: {error}.") from error
        tables = content.pop("instructions", [])
        if content or not isinstance(tables, list) or not all(isinstance(table, dict) for table in tables):
            raise ConfigurationError(f"{path} must hold tables [[instructions]] and nothing else.")
        return cls(
            tuple(_entry(table, f"{path}, [[instructions]] {place}") for place, table in enumerate(tables, 1))
        )

    def for_model(self, name: str) -> str:
        """Return the texts for a model, in order; one that passes ``INSTRUCTIONS_LENGTH`` is left out."""
        joined = ""
        for place, entry in enumerate(self.entries, 1):
            if not entry.fits(name):
                continue
            longer = f"{joined}\n\n{entry.text}" if joined else entry.text
            if len(longer) > INSTRUCTIONS_LENGTH:
                log.warning("instructions_truncated", left_out=place, limit=INSTRUCTIONS_LENGTH)
            else:
                joined = longer
        return joined


def digest(instructions: str) -> str:
    """Return a short hash of the instructions."""
    return blake2b(instructions.encode("utf-8", "replace"), digest_size=4).hexdigest()


def _entry(table: Mapping[str, Any], where: str) -> Instruction:
    unknown = sorted(table.keys() - {"models", "text"})
    if unknown:
        raise ConfigurationError(f"{where}: there is no {unknown[0]!r}; there are models and text.")
    text, models = table.get("text"), table.get("models", "*")
    if not isinstance(text, str) or not text.strip():
        raise ConfigurationError(f"{where}: text is missing.")
    if len(text.strip()) > INSTRUCTIONS_LENGTH:
        raise ConfigurationError(f"{where}: text is longer than {INSTRUCTIONS_LENGTH} characters.")
    globs = [models] if isinstance(models, str) else models
    if not isinstance(globs, list) or not globs or not all(isinstance(glob, str) and glob for glob in globs):
        raise ConfigurationError(f"{where}: models must be a glob or a list of globs.")
    return Instruction(tuple(globs), text.strip())
