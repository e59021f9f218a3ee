"""The memory for agents, by the Model Context Protocol (MCP): over HTTP at `/memory/mcp`, and over stdio.

The protocol's SDK takes a second to import, so nothing of it is imported before the first request.
"""

PATH = b"/memory/mcp"
"""Where it is served."""

REFUSED_HEADER = b"x-recollect-refused"
"""Tells by its code why a request was not let in, beside answers of the protocol's with the same status."""
