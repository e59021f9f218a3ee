"""The memory for agents, by the Model Context Protocol (MCP): over HTTP at `/memory/mcp`, and over stdio.

The protocol's SDK takes a second to import, so nothing of it is imported before the first request.
"""

PATH = b"/memory/mcp"
"""The path at which agents are served."""

REFUSED_HEADER = b"x-recollect-refused"
"""The code of a refusal; it tells it from the protocol's own answers with the same status."""
