"""The APIs of chats as clients and servers speak them."""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from tests.scripted.answers import Answer, completion_body, events, whole
from tests.scripted.dialects import message_body, message_events, response_body, response_events
from tests.servers.running_proxy import CHAT
from tests.support.received import Received


@dataclass(frozen=True)
class Api:
    """One of the APIs.

    Attributes:
        path: Where it is spoken.
        listed: The member that holds the conversation.
        instructs: The member that instructs the model; "" if a message does.
        whole: Returns an answer, not streamed.
        stream: Yields the events of an answer that says the pieces one after the other.
    """

    path: bytes
    listed: str
    instructs: str
    whole: Callable[[str], bytes]
    stream: Callable[..., Iterator[bytes]]

    def body(self, words: str, **fields: Any) -> bytes:
        """Return a request in which a user says these words."""
        said = [{"role": "user", "content": words}]
        return json.dumps({"model": "scripted", "max_tokens": 9, self.listed: said} | fields).encode()


COMPLETIONS = Api(CHAT, "messages", "", completion_body, events)
RESPONSES = Api(
    b"/v1/responses",
    "input",
    "instructions",
    lambda text: json.dumps(response_body(text), indent=1).encode(),
    response_events,
)
MESSAGES = Api(
    b"/v1/messages",
    "messages",
    "system",
    lambda text: json.dumps(message_body(text), indent=1).encode(),
    message_events,
)
APIS = {"completions": COMPLETIONS, "responses": RESPONSES, "messages": MESSAGES}


def replies(text: str) -> Callable[[Received], Answer]:
    """Return how a server answers each request with this, in the API it is asked in."""
    spoken = {api.path: api.whole(text) for api in APIS.values()}
    return lambda request: whole(spoken.get(request.target, completion_body(text)))
