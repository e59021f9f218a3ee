"""How long an upstream may take for each step, if the settings set no time."""

CONNECT_SECONDS = 10.0
"""How long connecting may take: a SYN that was lost is sent again after 1, 3 and 7 seconds (RFC 6298)."""

NEXT_ADDRESS_SECONDS = 0.25
"""Connection attempt delay (RFC 8305, section 5): after it, the host's next address is tried in parallel."""

SILENCE_SECONDS = 600.0
"""Silence of the upstream before it is given up: what OpenAI's own SDKs wait, as a model may think long."""

# Below that of common servers (uvicorn: 5 s), so that we rarely send as they close.
IDLE_SECONDS = 4.0
"""Our idle timeout of a connection."""

CHECK_SECONDS = 5.0
"""The time limit of the check at the start."""
