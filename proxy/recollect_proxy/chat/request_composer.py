"""Puts memories into requests, in the form that each model's upstream accepts. Never: which memories; raises."""

from collections.abc import Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase

from recollect.composition import Placed
from recollect.request_composition import compose_request
from recollect.wire import ChatBody, Dialect, SystemStyle


@dataclass(frozen=True, slots=True)
class RequestComposer:
    """Composes the requests of one API.

    Attributes:
        dialect: The API.
        styles: Which system messages a model accepts, by patterns of lower-case model names; the first match counts.
    """

    dialect: Dialect
    styles: Mapping[str, SystemStyle]

    def compose(self, chat: ChatBody, placed: Placed) -> bytes | None:
        """Return the request's body with memories; None if there are none, or their place is not certain."""
        name = chat.model.lower()
        found = (style for pattern, style in self.styles.items() if fnmatchcase(name, pattern))
        return compose_request(self.dialect, chat, placed, next(found, SystemStyle.ANY))
