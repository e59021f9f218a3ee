"""The most bytes of a request that the proxy takes, by the part that reads it. Pure.

`recollect.api.failures` has the limit of an import, as its message names it.
"""

LARGEST_HEAD = 256 * 1024
MOST_FIELDS = 1000

LARGEST_CHAT = 32 * 1024 * 1024
"""A chat request up to which it is read for its memory and its model; larger ones just pass. A chat with a few
pictures has less, and so much is held for each running request. `memory_body_limit` sets another bound for the memory."""

LARGEST_API_BODY = LONGEST_PATH = 64 * 1024
"""A request to the memory API, and the path of one."""

LARGEST_FORM = 64 * 1024
"""A form of a page."""

LARGEST_TOOL_CALL = 256 * 1024
"""A request of an agent, by the Model Context Protocol."""

LARGEST_MESSAGE = 64 * 1024 * 1024
"""One message of a WebSocket, either way: it is held whole before it is sent on."""
