"""Sends an event to the operator's URL, signed as Standard Webhooks says."""

import asyncio
import base64
import binascii
import hashlib
import hmac
import time
from uuid import UUID

import httpx

from recollect.errors import ConfigurationError

SECONDS = 10.0
"""The time limit of a request."""

_PREFIX = "whsec_"
_SECRET_BYTES = range(24, 65)


class Webhook:
    """The operator's webhook.

    Args:
        url: The operator's URL. Redirects are not followed: they might lead into a network that only this server reaches.
        secret: The secret of Standard Webhooks: `whsec_` and 24 to 64 bytes in base64.
        client: The HTTP client, which follows no redirects.
        with_text: Whether events hold the texts of memories.

    Raises:
        ConfigurationError: The URL or the secret makes no sense.
    """

    def __init__(self, url: str, secret: str, client: httpx.AsyncClient, *, with_text: bool) -> None:
        try:
            parsed = httpx.URL(url)
        except httpx.InvalidURL:
            parsed = httpx.URL()
        if parsed.scheme not in {"http", "https"} or not parsed.host:
            raise ConfigurationError("RECOLLECT_WEBHOOK_URL must be the http or https address of a server.")
        self._url, self._client, self.with_text = parsed, client, with_text
        self._key = _key_of(secret)

    async def post(self, event_id: UUID, body: bytes) -> str | None:
        """Send an event; return why it was not taken, or None if it was."""
        sent_at = str(int(time.time()))
        signed = b".".join([str(event_id).encode(), sent_at.encode(), body])
        signature = base64.b64encode(hmac.digest(self._key, signed, hashlib.sha256)).decode()
        headers = {
            "content-type": "application/json",
            "webhook-id": str(event_id),
            "webhook-timestamp": sent_at,
            "webhook-signature": f"v1,{signature}",
        }
        try:
            async with (
                asyncio.timeout(SECONDS),
                self._client.stream(
                    "POST", self._url, content=body, headers=headers, follow_redirects=False
                ) as response,
            ):  # its body is not read
                return None if response.is_success else str(response.status_code)
        except (httpx.HTTPError, TimeoutError) as error:
            return type(error).__name__


def _key_of(secret: str) -> bytes:
    try:
        key = base64.b64decode(secret.removeprefix(_PREFIX), validate=True)
    except (binascii.Error, ValueError):
        key = b""
    if not secret.startswith(_PREFIX) or len(key) not in _SECRET_BYTES:
        raise ConfigurationError(
            f"RECOLLECT_WEBHOOK_SECRET must be {_PREFIX} and 24 to 64 bytes in base64, "
            'as: echo "whsec_$(openssl rand -base64 32)"'
        )
    return key
