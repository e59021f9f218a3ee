"""Where settings come from: the variables `RECOLLECT_*`, and a file in TOML."""

import os
import tomllib
from pathlib import Path
from typing import Any

import platformdirs
from pydantic.fields import FieldInfo
from pydantic_settings import EnvSettingsSource, PydanticBaseSettingsSource

from recollect.errors import ConfigurationError

PREFIX = "RECOLLECT_"
"""The beginning of the variables' names."""

SETTINGS_FILE = "recollect.toml"
"""The settings file in the data folder: TOML, in which each key is a setting's name in small letters."""

CONFIG = "RECOLLECT_CONFIG"
"""The variable that names another file. Variables and options win over it."""


def is_setting(field: FieldInfo) -> bool:
    """Return whether a field is a setting for operators, which has a description; the code decides the others."""
    return field.description is not None


def default_data_dir() -> Path:
    """Return the data folder of the user who runs us; of root the system's, /var/lib/recollect.

    Postgres refuses to run as root, so root's database runs as another account, which can't enter
    root's home.
    """
    if os.geteuid() == 0:
        return Path("/var/lib/recollect")
    return platformdirs.user_data_path("recollect", appauthor=False)


def settings_file(data_dir: Path) -> Path | None:
    """Return the file that settings are read from: the one that the variable names, else that of the data folder; None without one."""
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


class Variables(EnvSettingsSource):
    """Reads the environment variables of settings. Fields that only the code sets have no variable."""

    def get_field_value(self, field: FieldInfo, field_name: str) -> tuple[Any, str, bool]:
        """Return the value of a field's variable, the field's name, and whether the value has to be parsed."""
        if not is_setting(field):
            return None, field_name, False
        return super().get_field_value(field, field_name)


class FileOfSettings(PydanticBaseSettingsSource):
    """Reads the settings file. If every setting is given, it does not: a worker gets all of them, and the file may have changed."""

    def get_field_value(self, field: FieldInfo, field_name: str) -> tuple[Any, str, bool]:
        """Return no value: ``__call__`` reads the whole file at once."""
        del field
        return None, field_name, False

    def __call__(self) -> dict[str, Any]:
        """Return the settings in the file; an empty text counts as unset, as with variables."""
        fields = self.settings_cls.model_fields
        settings = {name for name, field in fields.items() if is_setting(field)}
        if settings <= self.current_state.keys():
            return {}
        path = settings_file(Path(self.current_state.get("data_dir") or default_data_dir()).expanduser())
        values = read_settings_file(path) if path else {}
        return {name: value for name, value in values.items() if name in settings and value != ""}
