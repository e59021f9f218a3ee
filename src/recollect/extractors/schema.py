"""The form an extraction answer must have, as the JSON schema sent along. Never: reads an answer."""

from typing import Any

from recollect.model import Kind, Relation

_FIELDS: dict[str, Any] = {
    # the quote comes first: a model that has to quote before it claims, claims less
    "evidence": {"type": "string"},
    "content": {"type": "string"},
    "kind": {
        "type": "string",
        "enum": [Kind.FACT, Kind.PREFERENCE, Kind.INSIGHT, Kind.DECISION, Kind.TODO, Kind.ENTITY],
    },
    "importance": {"type": "number"},
    "confidence": {"type": "number"},
    "relation": {"type": "string", "enum": list(Relation)},
    "about": {"type": ["integer", "null"]},
    "event_date": {"type": ["string", "null"]},
}


def _closed_object(properties: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,  # strict mode asks for this, and for every field to be required
    }


RESPONSE_SCHEMA: dict[str, Any] = {
    "name": "memories",
    "strict": True,
    "schema": _closed_object({"memories": {"type": "array", "items": _closed_object(_FIELDS)}}),
}
"""The ``json_schema`` of a ``response_format``, in the subset OpenAI's strict mode takes."""
