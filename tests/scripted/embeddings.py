"""What a scripted embeddings server answers."""

import json

from tests.scripted.answers import Answer, whole
from tests.support.received import Received


def embedded(request: Received) -> Answer:
    """Answer an embeddings request: every text means the same."""
    vectors = [{"index": number, "embedding": [1.0, 2.0]} for number, _ in enumerate(request.json["input"])]
    return whole(json.dumps({"data": vectors}).encode())
