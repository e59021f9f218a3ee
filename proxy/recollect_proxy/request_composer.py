"""Composes requests as their models' upstreams want them. Never: what is added; raises."""

from collections.abc import Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase

from recollect.chat import ChatBody, Dialect, SystemStyle
from recollect.composition import Placed
from recollect.request_composition import compose_request


@dataclass(frozen=True, slots=True)
class RequestComposer:
    """How requests are composed.

    Attributes:
        dialect: The API they are spoken in.
        styles: What models take from the system, by patterns of their lower-case names; the first counts.
    """

    dialect: Dialect
    styles: Mapping[str, SystemStyle]

    def compose(self, chat: ChatBody, placed: Placed) -> bytes | None:
        """Return the request's body with what is added; None where nothing is, or has no certain place."""
        name = chat.model.lower()
        found = (style for pattern, style in self.styles.items() if fnmatchcase(name, pattern))
        return compose_request(self.dialect, chat, placed, next(found, SystemStyle.ANY))
