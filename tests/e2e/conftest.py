"""The proxy before a scripted LLM, as the tests of the proxy have it."""

from tests.recollect_proxy.conftest import (
    data_dir,
    extraction,
    proxy,
    session_proxy,
    session_settings,
    session_upstream,
    upstream,
    user,
)

__all__ = [
    "data_dir",
    "extraction",
    "proxy",
    "session_proxy",
    "session_settings",
    "session_upstream",
    "upstream",
    "user",
]
