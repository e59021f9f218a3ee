"""Tells where something failed, for a log line without its trace. Never: the error's text or a variable's value."""

from pathlib import PurePath
from traceback import extract_tb


def raised_at(error: BaseException) -> str:
    """Return file and line where the error was raised, or "" if it was not raised.

    A rendered trace may quote local variables, which are users' words.
    """
    frames = extract_tb(error.__traceback__)
    return f"{PurePath(frames[-1].filename).name}:{frames[-1].lineno}" if frames else ""
