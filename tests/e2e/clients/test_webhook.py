"""A webhook's signature is what the library of Standard Webhooks expects."""

import base64
import json
import secrets

import httpx
from tests.e2e.clients.programs import SCRIPTS, of_the_environment, run
from uuid_utils.compat import uuid7

from recollect.webhook import Webhook


async def test_the_library_verifies_what_is_sent_and_nothing_else() -> None:
    sent: list[httpx.Request] = []

    def take(request: httpx.Request) -> httpx.Response:
        sent.append(request)
        return httpx.Response(204)

    secret = "whsec_" + base64.b64encode(secrets.token_bytes(32)).decode()
    event = {"type": "memory.remembered", "data": {"user_id": "ann\u00e4"}}
    async with httpx.AsyncClient(transport=httpx.MockTransport(take)) as client:
        webhook = Webhook("http://receiver/hook", secret, client, with_text=False)
        assert await webhook.post(uuid7(), json.dumps(event).encode()) is None
    given = {"secret": secret, "headers": dict(sent[0].headers), "body": sent[0].content.decode()}

    got = json.loads(
        await run(
            of_the_environment("python"), SCRIPTS / "verify_webhook.py", given=json.dumps(given).encode()
        )
    )
    assert got == [event, None]
