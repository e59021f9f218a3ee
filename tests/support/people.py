"""People of tests, each new: who keeps their memories in a database with others' has to be told apart."""

import re
from itertools import count

from recollect.model import Scope, person_of

_numbers = count(1)
_NEW = re.compile(r"-(?:new\d+|[0-9a-f]{32})\Z")


class Person(str):
    """A user id that no other test of this process has."""

    __slots__ = ()

    @property
    def scope(self) -> Scope:
        """Their first chat."""
        return self.chat("chat-1")

    @property
    def elsewhere(self) -> Scope:
        return self.chat("chat-2")

    def chat(self, session_id: str) -> Scope:
        return Scope(self, session_id)


def is_new(user_id: str) -> bool:
    """Whether a user id can be no other test's."""
    return _NEW.search(person_of(user_id)) is not None


def person(name: str) -> Person:
    """Return somebody new."""
    return Person(f"{name}-new{next(_numbers)}")
