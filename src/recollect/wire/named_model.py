"""The model that a request names, which may decide the upstream."""

from recollect.wire.raw_json import KnownMembers, decode_text, find_member

_MODEL = "model"
_KNOWN = KnownMembers(_MODEL)


class AmbiguousModelError(ValueError):
    """A body is no JSON object, or names two models: servers differ in which of them counts."""


def named_model(body: bytes) -> str | None:
    """Return the model that a request's JSON names; None if it names none.

    Raises:
        AmbiguousModelError: The name is uncertain.
    """
    members = _KNOWN.decode(body)
    if members is None:
        raise AmbiguousModelError
    if _MODEL not in members:
        return None
    if find_member(body, body.index(b"{"), members, _MODEL) is None:
        raise AmbiguousModelError
    return decode_text(members[_MODEL])
