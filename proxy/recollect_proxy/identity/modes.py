"""Creates the identity modes from the settings, and rejects unsafe settings. Never: a request."""

from collections.abc import Mapping
from ipaddress import ip_address

from recollect.errors import ConfigurationError
from recollect_proxy.identity.api_key import ApiKey, read_key_file
from recollect_proxy.identity.caller import Mode
from recollect_proxy.identity.identity import Identity
from recollect_proxy.identity.plain_header import PlainHeader
from recollect_proxy.settings.proxy_settings import IdentityMode, ProxySettings
from recollect_proxy.settings.watched_file import WatchedFile


def make_identity(settings: ProxySettings) -> Identity:
    """Return the identity with all modes of ``RECOLLECT_IDENTITY``.

    Raises:
        ConfigurationError: A mode lacks a setting, or its settings are unsafe.
    """
    if not settings.identity:
        raise ConfigurationError("RECOLLECT_IDENTITY names no mode: header, openwebui-jwt, api-key or oidc.")
    return Identity(
        [_MODES[mode](settings) for mode in settings.identity],
        session=settings.session_header,
        message=settings.message_header,
        task=settings.task_header,
    )


def proving_modes(settings: ProxySettings) -> tuple[Mode, ...]:
    """Return the configured modes by which a person can prove an identity: all but the plain header.

    Raises:
        ConfigurationError: A mode lacks a setting, or its settings are unsafe.
    """
    return tuple(_MODES[mode](settings) for mode in settings.identity if mode is not IdentityMode.HEADER)


def _plain_header(settings: ProxySettings) -> Mode:
    secret = settings.shared_secret
    if secret is None and not settings.trusted_networks and not is_loopback(settings.host):
        raise ConfigurationError(
            f"Whoever reaches {settings.host} could claim any identity: name the networks your frontend is in "
            "(RECOLLECT_TRUSTED_NETWORKS=10.0.0.0/8), or a secret it sends (RECOLLECT_SHARED_SECRET), "
            "or let it sign (RECOLLECT_IDENTITY=openwebui-jwt)."
        )
    return PlainHeader(
        settings.user_header,
        networks=settings.trusted_networks,
        hosts=settings.allowed_hosts,
        secret_header=settings.shared_secret_header,
        secret=secret.get_secret_value() if secret else None,
    )


def _openwebui_token(settings: ProxySettings) -> Mode:
    secret = settings.openwebui_jwt_secret
    if secret is None:
        raise ConfigurationError(
            "RECOLLECT_IDENTITY=openwebui-jwt needs RECOLLECT_OPENWEBUI_JWT_SECRET: "
            "OpenWebUI's FORWARD_USER_INFO_HEADER_JWT_SECRET."
        )
    from recollect_proxy.identity.signed import OpenWebUIToken  # noqa: PLC0415 -- cryptography, for this mode alone

    return OpenWebUIToken(secret.get_secret_value(), header=settings.openwebui_jwt_header)


def _api_key(settings: ProxySettings) -> Mode:
    if not settings.api_key_file.is_file():
        raise ConfigurationError(
            f"RECOLLECT_IDENTITY=api-key needs {settings.api_key_file}: `recollect key USER` makes a key."
        )
    file = WatchedFile[Mapping[str, str]](
        settings.api_key_file, read_key_file, absent={}, event="api_keys_read_failed"
    )
    return ApiKey(file.value)


def _provider_token(settings: ProxySettings) -> Mode:
    issuer, audience = settings.oidc_issuer, settings.oidc_audience
    if not issuer or not audience:
        raise ConfigurationError(
            "RECOLLECT_IDENTITY=oidc needs RECOLLECT_OIDC_ISSUER and RECOLLECT_OIDC_AUDIENCE, and the provider's key "
            f"set as {settings.jwks_file}."
        )
    if settings.upstream_api_key is None:
        raise ConfigurationError(
            "RECOLLECT_IDENTITY=oidc reads the token of `Authorization`, which is the upstream's too: it would "
            "be sent on, and prove the user to whoever runs the upstream. Set RECOLLECT_UPSTREAM_API_KEY: any "
            "word where the LLM asks for none."
        )
    from recollect_proxy.identity.signed import ProviderToken  # noqa: PLC0415 -- as above

    return ProviderToken(
        settings.jwks_file, issuer=issuer, audience=audience, user_claim=settings.oidc_user_claim or "sub"
    )


_MODES = {
    IdentityMode.HEADER: _plain_header,
    IdentityMode.OPENWEBUI_JWT: _openwebui_token,
    IdentityMode.API_KEY: _api_key,
    IdentityMode.OIDC: _provider_token,
}


def is_loopback(host: str) -> bool:
    """Whether ``host`` is a loopback address or ``localhost``, which only this machine can reach."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
