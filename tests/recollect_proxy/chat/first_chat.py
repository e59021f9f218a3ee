"""Serves a proxy in a process of its own and chats with it once; prints which modules the chat imported."""

import asyncio
import json
import sys

from recollect_proxy.app import App
from recollect_proxy.serving.server import Server
from recollect_proxy.settings.command_settings import read_settings

_TOKEN = "a token of the administrator for one chat"


async def main() -> None:
    """Print a JSON list of the names of what was imported between the end of the start and the end of the answer."""
    settings = read_settings(port=0)
    app = App(settings, admin_token=_TOKEN)
    ports: asyncio.Queue[int] = asyncio.Queue()
    server = Server(app, settings, ready=ports.put_nowait)
    serving = asyncio.create_task(server._serve())
    port = await ports.get()
    await app._memory_api.start()  # it is built in a thread, from the start's end on
    before = set(sys.modules)
    status = await _chat(port, sys.argv[1:])
    imported = sorted(set(sys.modules) - before)
    sys.stdout.write(json.dumps({"status": status, "imported": imported}) + "\n")
    server.should_exit = True
    await serving


async def _chat(port: int, headers: list[str]) -> str:
    body = json.dumps({"model": "m", "messages": [{"role": "user", "content": "I have a cat called Minka."}]})
    head = [
        "POST /v1/chat/completions HTTP/1.1",
        "Host: 127.0.0.1",
        "Connection: close",
        "Content-Type: application/json",
        f"Content-Length: {len(body)}",
        *headers,
    ]
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(("\r\n".join(head) + "\r\n\r\n" + body).encode())
    answer = await reader.read()
    writer.close()
    return answer.partition(b"\r\n")[0].decode()


if __name__ == "__main__":
    asyncio.run(main())
