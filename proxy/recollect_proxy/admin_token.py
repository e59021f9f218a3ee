"""The memory API's token: given, or made once and kept where only its owner reads it."""

import os
import secrets
from pathlib import Path

from recollect_proxy.settings import ProxySettings


def admin_token(settings: ProxySettings) -> tuple[str, Path | None]:
    """Return the token, and the file it was just made in (None when it was there already).

    Raises:
        OSError: The data folder can't be written.
    """
    if settings.admin_token is not None:
        return settings.admin_token.get_secret_value(), None
    path = settings.data_dir / "admin-token"
    settings.data_dir.mkdir(parents=True, exist_ok=True)
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        if token := path.read_text(encoding="ascii").strip():
            return token, None
        path.unlink()  # a start was cut off here; an empty token would let everybody in
        return admin_token(settings)
    token = secrets.token_urlsafe(32)
    with os.fdopen(descriptor, "w", encoding="ascii") as file:
        file.write(token + "\n")
    return token, path
