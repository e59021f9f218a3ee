"""Versions of a memory as HTTP tells them: ``ETag`` and ``If-Match`` (RFC 9110). Pure. Never: an engine."""

from typing import Annotated, TypeAlias

from litestar import Response
from litestar.datastructures import ResponseHeader
from litestar.openapi.spec import Example
from litestar.params import HeaderParameter

from recollect import model
from recollect.text.patterns import bounded
from recollect_proxy.memory_api.errors import invalid_parameter
from recollect_proxy.memory_api.schemas import Memory

_HEADER = "If-Match"
_TAGS = 20
_TAG = bounded(
    r'(W/)?"([\x21\x23-\x2B\x2D-\x7E]{0,128})"'
)  # without a comma: ours have none, and it parts them

ETAG = ResponseHeader(
    name="ETag",
    value='"5d41402abc4b2a76b9719d911017c592"',
    description="The version of the memory: another once anything but the counts of its use is another.",
    documentation_only=True,
)
IfMatch: TypeAlias = Annotated[
    str | None,
    HeaderParameter(
        name=_HEADER,
        description="The `ETag` that the memory was read with, or several, or `*`: where it has another by now, nothing is "
        "done, and the answer is 412.",
        schema_extra={
            "pattern": r'^(\*|(W/)?"[!#-+\-.-~]{0,128}"( *, *(W/)?"[!#-+\-.-~]{0,128}"){0,19})?$',
        },
        examples=[Example(value="*")],
    ),
]


def tagged(memory: model.Memory) -> Response[Memory]:
    """Return a memory as its answer, with its version."""
    return Response(Memory.of(memory), headers={"ETag": f'"{memory.version}"'})


def versions_named(header: str | None) -> frozenset[str] | None:
    """Return which versions ``If-Match`` names; None for any.

    A weak one matches nothing, nor does an empty list (RFC 9110, 13.1.1).

    Raises:
        RefusedError: It is none.
    """
    if header is None or header.strip() == "*":
        return None
    given = [each.strip() for each in header.split(",", 2 * _TAGS)]
    tags = [_TAG.fullmatch(each) for each in given if each]  # empty elements are none (RFC 9110, 5.6.1.2)
    if len(tags) > _TAGS or any(tag is None for tag in tags):
        raise invalid_parameter(
            _HEADER, f"`*`, or 1 to {_TAGS} entity tags in quotation marks, parted by commas"
        )
    return frozenset(tag[2] for tag in tags if tag is not None and tag[1] is None)
