"""Settings for tests: of no environment, with an upstream."""

from typing import Any

from pydantic_settings import SettingsConfigDict

from recollect_proxy.settings.proxy_settings import ProxySettings


class _GivenSettings(ProxySettings):
    """Settings that no variable of whoever runs the tests can change."""

    model_config = SettingsConfigDict(env_prefix="no such variable begins like this ")


def changed(settings: ProxySettings, **own: Any) -> ProxySettings:
    return _GivenSettings(**settings.model_dump() | own)


def proxy_settings(**changed: Any) -> ProxySettings:
    """Return the proxy's settings as they stand without any variable, with these changed.

    A proxy takes any free port: a developer's own may run on the usual one. Nothing stands in every chat unless a test
    asks for it, so that what is recalled is seen alone.
    """
    quick: dict[str, Any] = {
        "upstream": "http://127.0.0.1:9/v1",
        "port": 0,
        "worker": "within",
        "formation_quiet_seconds": 0,
        "formation_batch_turns": 1,
        "summary_turns": 0,
        "summary_tokens": 0,
        "standing_tokens": 0,
    }
    return _GivenSettings(**quick | changed)
