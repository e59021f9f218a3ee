"""Settings for tests: of no environment, with an upstream. Never: a test."""

from typing import Any

from recollect_proxy.settings import ProxySettings


def changed(settings: ProxySettings, **own: Any) -> ProxySettings:
    """Return the settings with these changed, and checked as any others."""
    return ProxySettings(**settings.model_dump() | own)


def proxy_settings(**changed: Any) -> ProxySettings:
    """Return the proxy's settings as they stand without any variable, with these changed."""
    return ProxySettings(**{"upstream": "http://127.0.0.1:9/v1"} | changed)
