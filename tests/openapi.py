"""Prints the memory API's OpenAPI document, of which the types in clients/js are made: ``python -m tests.openapi``.

All refusals have one shape, so each operation has it once.
"""

import json
import sys
from typing import Any

from recollect.api.endpoint_table import OPERATIONS
from recollect_proxy.memory_api.application import ANSWERS
from recollect_proxy.memory_api.documentation import write_document

_REFUSED: dict[str, Any] = {
    "description": "A refusal.",
    "content": {"application/problem+json": {"schema": {"$ref": "#/components/schemas/ErrorBody"}}},
}


def document() -> dict[str, Any]:
    """Return the document as a server with the usual settings has it, but for the kinds of refusals."""
    written = write_document(OPERATIONS, ANSWERS, lambda operation: operation.permission)
    for methods in written["paths"].values():
        for operation in methods.values():
            done = {status: each for status, each in operation["responses"].items() if status < "300"}
            operation["responses"] = done | {"default": _REFUSED}
    return written


if __name__ == "__main__":
    sys.stdout.write(json.dumps(document()))
