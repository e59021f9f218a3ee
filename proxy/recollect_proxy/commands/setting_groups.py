"""The order in which settings are shown: five to know first, then six groups. `recollect config`, its page and its file of variables follow it."""

from collections.abc import Iterator
from typing import NamedTuple

from pydantic.fields import FieldInfo

from recollect_proxy.settings.proxy_settings import ProxySettings


class Group(NamedTuple):
    """Settings about one thing.

    Attributes:
        title: Its heading.
        names: The names of its settings, the most important first.
    """

    title: str
    names: tuple[str, ...]


GROUPS = (
    Group(
        "The five to know first",
        ("upstream", "upstream_api_key", "identity", "database_url", "extraction_model"),
    ),
    Group(
        "Server and data",
        (
            "data_dir",
            "host",
            "port",
            "public_url",
            "chat_link",
            "admin_token",
            "worker",
            "log_level",
            "log_secrets",
            "metrics_public",
        ),
    ),
    Group(
        "Identity",
        (
            "require_identity",
            "user_header",
            "session_header",
            "shared_secret",
            "trusted_networks",
            "allowed_hosts",
            "openwebui_jwt_secret",
            "oidc_issuer",
            "oidc_audience",
            "oidc_client_id",
            "oidc_client_secret",
            "oidc_label",
            "oidc_scopes",
            "oidc_user_claim",
            "oidc_admin",
        ),
    ),
    Group(
        "LLMs and frontends",
        ("upstreams", "system_styles", "forward_identity", "openwebui_status"),
    ),
    Group(
        "Recall (memories in a prompt)",
        (
            "memory_tokens",
            "standing_tokens",
            "history_tokens",
            "placement",
            "recall_deadline_ms",
            "memory_cache_mb",
        ),
    ),
    Group(
        "Formation (memories from chats)",
        (
            "record",
            "formation",
            "extraction_base_url",
            "extraction_api_key",
            "formation_yields",
            "tokens_per_day",
            "user_tokens_per_day",
            "tags",
            "lifetimes",
            "log_days",
            "memories_per_hour",
            "user_cap",
            "webhook_url",
            "webhook_secret",
            "webhook_text",
        ),
    ),
    Group(
        "Embeddings (search by meaning)",
        (
            "embedder",
            "embedder_base_url",
            "embedder_api_key",
            "previous_embedder_api_key",
            "second_embedder",
            "embed",
            "recall_gate",
        ),
    ),
)
"""Each setting once, those to know first at the top."""


def grouped_fields() -> Iterator[tuple[str, list[tuple[str, FieldInfo]]]]:
    """Yield each group's title, and its settings by name."""
    for group in GROUPS:
        yield group.title, [(name, ProxySettings.model_fields[name]) for name in group.names]
