"""The settings file: TOML, in which each key is a setting's name in small letters. Never: the meaning of a value.

``RECOLLECT_CONFIG`` names it; else it is ``recollect.toml`` in the data folder, if there is one. Variables and options win over it.
"""

import os
import tomllib
from pathlib import Path
from typing import Any

from recollect.errors import ConfigurationError

SETTINGS_FILE = "recollect.toml"
"""Its name in the data folder."""

CONFIG = "RECOLLECT_CONFIG"
"""The variable that names another."""


def settings_file(data_dir: Path) -> Path | None:
    """Return the file that settings are read from; None where there is none.

    Args:
        data_dir: The folder to look in if the variable names none.
    """
    if named := os.environ.get(CONFIG):
        return Path(named).expanduser().absolute()
    path = data_dir / SETTINGS_FILE
    return path if path.is_file() else None


def read_settings_file(path: Path) -> dict[str, Any]:
    """Return the values in a file, by the names of settings.

    Raises:
        ConfigurationError: It cannot be read, or is no TOML; the message names the file and the line.
    """
    try:
        return tomllib.loads(path.read_text("utf-8"))
    except OSError as error:
        raise ConfigurationError(f"Settings: {path} can't be read: {error.strerror}.") from None
    except UnicodeDecodeError:
        raise ConfigurationError(f"Settings: {path} is not in UTF-8.") from None
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise ConfigurationError(f"Settings: {path} is no TOML: {error}.") from None
