"""A question with a document is mostly about the document, so fewer memories are recalled for it."""

import json
from typing import Any
from uuid import uuid4

import pytest
from tests.recollect_proxy.chat.spoken import replies
from tests.recollect_proxy.frontends import APIS
from tests.recollect_proxy.given import given_memory
from tests.scripted.upstream import ScriptedUpstream
from tests.servers.running_proxy import RunningProxy, User
from tests.support.tables import table

SON = "Her son Paul has coeliac disease."
FACTS = (
    SON,
    "Works as a nurse in Leipzig.",
    "Rents a flat in the Karl-Heine-Strasse.",
    "Plays the cello on Thursdays.",
)
RETRIEVED = '### Task:\nUse it.\n<context>\n<source id="1">{}</source>\n</context>\n\n'.format(
    "The tenancy begins in May. " * 20
)

DOCUMENTS: list[tuple[str, list[dict[str, Any]]]] = [
    ("completions", [{"type": "file", "file": {"file_id": "file-1"}}]),
    ("completions", [{"type": "text", "text": RETRIEVED}]),
    ("responses", [{"type": "input_file", "file_id": "file-1"}]),
    ("messages", [{"type": "document", "source": {"type": "url", "url": "https://papers.example/a.pdf"}}]),
]
ABOUT_DOCUMENT = (
    "What is the notice period?",
    "What are the opening hours?",
    "What does it cost per month?",
    "Which side effects are listed?",
    "Summarize this document for me.",
    "Fais-moi un résumé de ce fichier.",
)
ABOUT_SON = ("Can my son eat from this menu?", "Darf mein Sohn das essen?", "제 아들이 이걸 먹을 수 있나요?")


@pytest.fixture
async def person(listening_proxy: RunningProxy, user: User) -> User:
    for content in FACTS:
        await given_memory(listening_proxy, user, content)
    return user


@table("name, document", DOCUMENTS)
@table("question, needed", [*((each, 0) for each in ABOUT_DOCUMENT), *((each, 1) for each in ABOUT_SON)])
async def test_a_document_is_asked_about_without_memories_it_does_not_need(
    listening_proxy: RunningProxy,
    upstream: ScriptedUpstream,
    person: User,
    name: str,
    document: list[dict[str, Any]],
    question: str,
    needed: int,
) -> None:
    upstream.otherwise = replies("All right.")
    api = APIS[name]
    part = {"type": "input_text" if name == "responses" else "text", "text": question}
    given = (
        [document[0] | {"text": document[0]["text"] + question}]
        if "text" in document[0]
        else [*document, part]
    )
    body = json.dumps({"model": "scripted", api.listed: [{"role": "user", "content": given}]}).encode()

    answer = await listening_proxy.fetch(b"POST", api.path, person.headers(chat=uuid4().hex), body)
    await listening_proxy.settle()

    request_id = (answer.header(b"x-recollect-request-id") or b"").decode()
    told = (await listening_proxy.api(b"GET", f"/explain/{request_id}")).json["candidates"]
    found = [each for each in told if each["dropped"] is None and each["score"] > 0]
    assert len(found) == needed
    assert not needed or SON in upstream.last.body.decode()
