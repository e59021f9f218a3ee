"""Values that the proxy's code decides, each with its reason; tests and benches give others by keyword.

Never: read from the environment, shown to an operator, sent by a frontend.
"""

from pathlib import Path
from typing import ClassVar

from pydantic import BaseModel, Field


class ProxyInternals(BaseModel):
    """Numbers and names that follow from how the proxy works; no variable sets them."""

    base_path: ClassVar[str] = "/v1"
    """Stands for the upstream's base URL: the path that OpenAI's clients and all frontends know."""

    message_header: ClassVar[str] = "x-recollect-message"
    task_header: ClassVar[str] = "x-recollect-task"
    """Our own names: a frontend that can send its message's id or its task can send it under them."""

    openwebui_jwt_header: ClassVar[str] = "x-openwebui-user-jwt"
    """OpenWebUI's own name."""

    shared_secret_header: ClassVar[str] = "x-recollect-secret"  # noqa: S105 -- a name
    """Our own name, as above."""

    api_keys: Path | None = None
    """None: ``api-keys`` of the data folder."""

    recall_in_temporary: bool = False
    """Whether temporary chats recall, against what people expect; benches use it to ask without a growing store."""

    connect_timeout_seconds: float = Field(default=10, gt=0)
    """To connect to the upstream: a SYN that was lost is sent again after 1, 3 and 7 seconds (RFC 6298)."""

    read_timeout_seconds: float = Field(default=600, gt=0)
    """Silence of the upstream before it is given up: what OpenAI's own SDKs wait, as a model may think long."""

    memory_body_limit: int = Field(default=32 * 1024 * 1024, ge=1024)
    """Bytes of a chat request up to which it is read for memory; larger ones just pass. A chat with a few pictures
    has less, and so much is held for each running request."""

    shutdown_seconds: float = Field(default=30, ge=0)
    """How long running answers may take to finish on shutdown: what Kubernetes grants, and less than deploy/'s 45."""
