"""An answer that is continued is one answer in the log, however a client asks for its continuation."""

import json
from typing import Any

from tests.recollect_proxy.frontends import APIS
from tests.recollect_proxy.spoken import replies
from tests.running_proxy import RunningProxy, somebody
from tests.scripted_upstream import ScriptedUpstream
from tests.tables import table
from tests.waiting import until

ASKED = "Which rivers meet in Ghent?"
BEGUN, REST = "The Leie and", " the Scheldt."
WHOLE = BEGUN + REST

CONTINUED: list[tuple[str, dict[str, Any], dict[str, Any], str]] = [
    ("completions", {"content": BEGUN}, {}, REST),
    ("completions", {"content": [{"type": "text", "text": BEGUN}]}, {"add_generation_prompt": False}, REST),
    (
        "completions",
        {"content": BEGUN},
        {"continue_final_message": True, "add_generation_prompt": False},
        REST,
    ),
    ("completions", {"content": BEGUN, "prefix": True}, {}, REST),
    ("completions", {"content": BEGUN, "prefix": True}, {}, WHOLE),
    ("completions", {"content": BEGUN, "tool_calls": []}, {}, REST),
    ("completions", {"content": f"<think>Two rivers.</think>{BEGUN}"}, {}, REST),
    ("responses", {"content": BEGUN}, {}, REST),
    ("responses", {"type": "message", "content": [{"type": "output_text", "text": BEGUN}]}, {}, REST),
    ("messages", {"content": BEGUN}, {}, REST),
    ("messages", {"content": [{"type": "text", "text": BEGUN}]}, {}, REST),
]


@table("name, beginning, fields, answer", CONTINUED)
@table("first", [BEGUN, None])
async def test_a_continued_answer_is_one(
    proxy: RunningProxy,
    upstream: ScriptedUpstream,
    name: str,
    beginning: dict[str, Any],
    fields: dict[str, Any],
    answer: str,
    first: str | None,
) -> None:
    api, person = APIS[name], somebody()

    async def send(said: list[dict[str, Any]], reply: str) -> None:
        upstream.otherwise = replies(reply)
        body = json.dumps({"model": "scripted", api.listed: said, **fields}).encode()
        assert (await proxy.fetch(b"POST", api.path, person.headers(), body)).status == 200
        await proxy.formed(person)

    question = {"role": "user", "content": ASKED}
    if first is not None:
        await send([question], first)
    await send([question, {"role": "assistant", **beginning}], answer)

    kept = "SELECT role, content FROM recollect.messages WHERE user_id = $1 ORDER BY turn_index, id"
    assert [tuple(row) for row in await proxy.rows(kept, person.known_as)] == [
        ("user", ASKED),
        ("assistant", WHOLE),
    ]
    found = "SELECT FROM recollect.message_chunks AS k JOIN recollect.messages AS m ON m.user_id = $1 AND m.id = k.message_id WHERE k.user_id = $1 AND m.content = $2 AND m.indexed"

    async def is_found() -> bool:
        return bool(await proxy.rows(found, person.known_as, WHOLE))

    await until(is_found)


@table("name", APIS)
async def test_an_answer_that_begins_otherwise_is_another(
    proxy: RunningProxy, upstream: ScriptedUpstream, name: str
) -> None:
    api, person = APIS[name], somebody()
    body = json.dumps({"model": "scripted", api.listed: [{"role": "user", "content": ASKED}]}).encode()
    for reply in (BEGUN, "Ghent lies where two rivers meet."):
        upstream.otherwise = replies(reply)
        await proxy.fetch(b"POST", api.path, person.headers(), body)
        await proxy.settle()

    kept = (
        "SELECT content FROM recollect.messages WHERE user_id = $1 AND role = 'assistant' AND NOT alternate"
    )
    assert [row["content"] for row in await proxy.rows(kept, person.known_as)] == [BEGUN]
