"""For Schemathesis: a key is another for each thing to be done, which no JSON Schema can say. Never: asserts."""

import uuid
from typing import Any

import schemathesis  # type: ignore[import-not-found]  # of the clients' own environment

_HEADER = "Idempotency-Key"


@schemathesis.hook  # type: ignore[untyped-decorator]
def before_call(_context: Any, case: Any, _kwargs: Any) -> None:
    """Give each request that is right, and has a key, one that no other has."""
    is_right = case.meta is not None and case.meta.generation.mode == schemathesis.GenerationMode.POSITIVE
    if is_right and _HEADER in (case.headers or {}):
        case.headers[_HEADER] = str(uuid.uuid4())
