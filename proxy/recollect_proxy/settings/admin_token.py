"""The memory API's token: given, or made once and kept where only its owner reads it."""

import os
import secrets
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from recollect.errors import ConfigurationError
from recollect.runtime.file_lock import FileLock
from recollect.settings.engine_settings import NOWHERE
from recollect_proxy.settings.proxy_settings import ProxySettings
from recollect_proxy.web.headers import OWN_KEY

TOKEN_FILE = "admin-token"  # noqa: S105 -- a file's name
"""The name of the file in the data folder."""

_PATIENCE_SECONDS = 10.0


@dataclass(frozen=True, slots=True)
class AdminToken:
    """The token, and the file it is stored in; None: none.

    Attributes:
        is_new: Whether it was made here, and not shown yet.
    """

    value: str
    file: Path | None = None
    is_new: bool = False

    def was_shown(self) -> None:
        """Note that a person saw it: it is not shown again.

        A start that fails comes before that, so that the next one shows it.

        Raises:
            OSError: The data folder can't be written.
        """
        if self.is_new and self.file is not None:
            # If it is gone, another process that started at the same time has done this.
            with _alone(self.file), suppress(FileNotFoundError):
                _unshown(self.file).replace(self.file)


def admin_token(settings: ProxySettings) -> AdminToken:
    """Return the token that was given or is kept; else one that is made now.

    Raises:
        OSError: The data folder can't be written.
        ConfigurationError: The file holds no token.
    """
    if settings.admin_token is not None:
        return AdminToken(settings.admin_token.get_secret_value())
    if settings.data_dir == NOWHERE:
        return AdminToken(made_token(), is_new=True)
    settings.data_dir.mkdir(parents=True, exist_ok=True)
    file = settings.data_dir / TOKEN_FILE
    with _alone(file):
        if token := _read_token(file):
            return AdminToken(token, file)
        if not (token := _read_token(_unshown(file))):
            token = made_token()
            _write(_unshown(file), token)
    return AdminToken(token, file, is_new=True)


def kept_token(settings: ProxySettings) -> str:
    """Return the token that a start would find in the data folder; "" if it would make one. Nothing is changed.

    Raises:
        OSError: It can't be read.
        ConfigurationError: It is no token.
    """
    if settings.data_dir == NOWHERE:
        return ""
    file = settings.data_dir / TOKEN_FILE
    return next((token for each in (file, _unshown(file)) if (token := _token_in(each))), "")


@contextmanager
def _alone(file: Path) -> Iterator[None]:
    """Lock the token against other processes that start now; raises TimeoutError if one does not let go."""
    with closing(FileLock(file.with_name(f"{file.name}.lock"))) as lock:
        if not lock.wait(time.monotonic() + _PATIENCE_SECONDS):
            raise TimeoutError("another process that is starting holds the admin token")
        yield


def _unshown(file: Path) -> Path:
    return file.with_name(f"{file.name}.unshown")


def made_token() -> str:
    """Return a token as a start makes it: in the form of a key, so that it is not sent on to an LLM either."""
    return OWN_KEY.decode() + secrets.token_urlsafe(32)


def _read_token(file: Path) -> str:
    """Return the token in a file; "" where there is none, or an empty one."""
    token = _token_in(file)
    if not token:
        file.unlink(missing_ok=True)  # an empty token would let everybody in
    return token


def _token_in(file: Path) -> str:
    try:
        return file.read_text(encoding="ascii").strip()
    except FileNotFoundError:
        return ""
    except UnicodeDecodeError:  # which quotes the file
        raise ConfigurationError(
            f"RECOLLECT_DATA_DIR: {file} holds no admin token: it has other characters than ASCII's. Write the token anew, "
            "or remove the file: then a start makes another."
        ) from None


def _write(file: Path, token: str) -> None:
    """Write the file, which is there whole or not at all."""
    descriptor, unfinished = tempfile.mkstemp(prefix=file.name, dir=file.parent)  # only its owner reads it
    try:
        with os.fdopen(descriptor, "w", encoding="ascii") as opened:
            opened.write(token + "\n")
        Path(unfinished).replace(file)
    finally:
        Path(unfinished).unlink(missing_ok=True)
