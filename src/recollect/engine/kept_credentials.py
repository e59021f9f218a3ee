"""Keeps the credentials of requests for a while, in memory alone, so that memories can be formed with them."""

from uuid import UUID

import msgspec
from cachetools import TTLCache

CREDENTIALS_KEPT = 10_000
CREDENTIAL_SECONDS = 3600.0  # keys are written nowhere, and no process holds one longer (decision 0062)


class LentCredential(msgspec.Struct, frozen=True, tag="lend"):
    """The credential that a request carried; a line to a worker, too.

    Attributes:
        upstream: To which of several LLM servers it went, by its name; "": to the default.
        credential: The value of its ``Authorization`` header; None: it is taken back.
        is_answered: Whether an LLM server answered with it. Only then is it a key of its person: a request may name anybody.
    """

    exchange_id: UUID
    user_id: str
    upstream: str
    credential: str | None
    is_answered: bool = False

    def __repr__(self) -> str:
        """Tell nothing of the credential."""
        return f"Lent({self.exchange_id})"


class Credentials:
    """Finds the credential of an exchange; of one whose own is gone, its person's for the same server."""

    def __init__(self) -> None:
        self._of_exchanges: TTLCache[UUID, str] = TTLCache(CREDENTIALS_KEPT, CREDENTIAL_SECONDS)
        self._of_people: TTLCache[tuple[str, str], str] = TTLCache(CREDENTIALS_KEPT, CREDENTIAL_SECONDS)

    def lend(self, lent: LentCredential) -> None:
        """Keep a credential for a while, or take it back."""
        if lent.credential is None:
            self._of_exchanges.pop(lent.exchange_id, None)
        elif lent.is_answered:
            self._of_exchanges[lent.exchange_id] = lent.credential
            person = lent.user_id, lent.upstream
            # The first that an answer came with stays while it is used: a client that names the person in a plain header, with
            # another credential, takes none of their exchanges to another account.
            if self._of_people.get(person, lent.credential) == lent.credential:
                self._of_people[person] = lent.credential  # for another hour
        else:
            self._of_exchanges.setdefault(lent.exchange_id, lent.credential)

    def find(self, exchange_id: UUID, user_id: str, upstream: str) -> str | None:
        """Return the credential for an exchange; None if none is known."""
        return self._of_exchanges.get(exchange_id) or self.of_person(user_id, upstream)

    def of_person(self, user_id: str, upstream: str) -> str | None:
        """Return a person's own credential for an LLM server; None if none is known."""
        return self._of_people.get((user_id, upstream))
