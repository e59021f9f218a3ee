"""An answer that is continued is one answer in the log, however a client asks for its continuation."""

import json
from itertools import product
from typing import Any

from tests.recollect_proxy.frontends import APIS
from tests.recollect_proxy.spoken import replies
from tests.scripted.upstream import ScriptedUpstream
from tests.servers.running_proxy import RunningProxy, User, somebody
from tests.support.waiting import until

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


async def _said(
    proxy: RunningProxy,
    upstream: ScriptedUpstream,
    case: tuple[str, dict[str, Any], dict[str, Any], str],
    *,
    is_first_known: bool,
) -> User:
    """Ask as a new user, continue the answer, and return the user."""
    name, beginning, fields, answer = case
    api, person = APIS[name], somebody()
    question = {"role": "user", "content": ASKED}
    requests = [([question], BEGUN)] if is_first_known else []
    for said, reply in (*requests, ([question, {"role": "assistant", **beginning}], answer)):
        upstream.otherwise = replies(reply)
        body = json.dumps({"model": "scripted", api.listed: said, **fields}).encode()
        assert (await proxy.fetch(b"POST", api.path, person.headers(), body)).status == 200
        await proxy.settle()
    return person


async def test_a_continued_answer_is_one(proxy: RunningProxy, upstream: ScriptedUpstream) -> None:
    cases = [*product(CONTINUED, (True, False))]
    people = [
        (await _said(proxy, upstream, case, is_first_known=is_first_known)).known_as
        for case, is_first_known in cases
    ]

    kept = "SELECT role, content FROM recollect.messages WHERE user_id = $1 ORDER BY turn_index, id"
    for case, person in zip(cases, people, strict=True):
        rows = [tuple(row) for row in await proxy.rows(kept, person)]
        assert rows == [("user", ASKED), ("assistant", WHOLE)], case
    unfound = (
        "SELECT person FROM unnest($1::text[]) AS person WHERE NOT EXISTS (SELECT FROM recollect.message_chunks AS k "
        "JOIN recollect.messages AS m ON m.user_id = person AND m.id = k.message_id "
        "WHERE k.user_id = person AND m.content = $2 AND m.indexed)"
    )

    async def are_found() -> bool:
        return not await proxy.rows(unfound, people, WHOLE)

    await until(are_found)
