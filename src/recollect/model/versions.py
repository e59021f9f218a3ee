"""The versions of a person's data in the store."""

from typing import NamedTuple
from uuid import UUID


class Versions(NamedTuple):
    """The versions of a person's memories and log, in the order of commits.

    Attributes:
        epoch: Another value whenever the person was erased and came back, or the server started again.
        statements: The version of their memories.
        statements_floor: The version in which memories were last removed.
        log: The version of their indexed messages.
        log_floor: The version in which indexed messages were last removed.
        commons: The version of the shared memories.
        commons_floor: The version in which shared memories were last removed.
    """

    epoch: UUID
    statements: int
    statements_floor: int
    log: int
    log_floor: int
    commons: int
    commons_floor: int
