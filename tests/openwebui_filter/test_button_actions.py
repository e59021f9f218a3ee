"""A person's own memories by the function My memories: by the filter's engine, and by the proxy's memory API alike."""

import asyncio
import json
import re
from typing import Any
from urllib.parse import quote
from uuid import uuid4

import pytest
from tests.openwebui_filter.openwebui import MEMORIES, UNDO, load
from tests.openwebui_filter.telling import DOG, OSLO, ROME, contents
from tests.recollect_proxy.memory_api.serving import TOKEN, Api
from tests.scripted.answers import Answer, whole
from tests.scripted.upstream import ScriptedUpstream
from tests.support.people import Person
from tests.support.stores import Store
from tests.support.tables import table
from tests.support.waiting import until

from recollect.assembly import host_engine
from recollect.engine import Engine
from recollect.model import Actor, Flags, Kind, Party
from recollect_openwebui.notices import my_memories_page

HOSTILE = [
    "I like <img src=x onerror=alert(1)> and </script><script>alert(1)</script>.",
    'I say "); alert(1); (" and `${alert(1)}` \N{LINE SEPARATOR} and \\u003c.',
]

PAGE = "https://me.example/p/1"


class Tab:
    """A browser tab in which a person makes requests on the page, one after the other, and closes it."""

    def __init__(self, *requests: Any, language: Any = "en-US") -> None:
        self.language = language
        self.replies: list[dict[str, Any]] = []
        self.codes: list[str] = []
        self.shown: list[dict[str, Any]] = []
        self._requests = list(requests)

    async def call(self, event: dict[str, Any]) -> Any:
        """Run a script, as Open WebUI does, and return the page's next request."""
        assert event["type"] == "execute"
        code = event["data"]["code"]
        if code == "return localStorage.locale":
            return self.language
        self.codes.append(code)
        if told := re.fullmatch(
            r"const turn = window\[\S+\]; return turn \? await turn\((.*)\) : null", code
        ):
            self.replies.append(json.loads(told[1]))
        request = self._requests.pop(0) if self._requests else {"request": "close"}
        return request | {"n": len(self.codes)} if isinstance(request, dict) else request

    async def emit(self, event: dict[str, Any]) -> None:
        self.shown.append(event)

    @property
    def told(self) -> list[str]:
        """Said in passing."""
        return [each["data"]["content"] for each in self.shown if each["type"] == "notification"]


@pytest.fixture(params=["api", "filter"])
def action(request: pytest.FixtureRequest, api: Api) -> Any:
    """The function, which finds the engine by the API or in its own process."""
    made = load(MEMORIES, function_id="recollect_memories")
    if request.param == "api":
        made.valves = made.Valves(memory_api=f"http://127.0.0.1:{api.port}/memory/", key=TOKEN)
    return made


@pytest.fixture
def engine(action: Any, api: Api, engine: Engine) -> Engine:
    """The engine behind it."""
    return api.engine if action.valves.memory_api else engine


@pytest.fixture
def own_action(memory: Any) -> Any:  # noqa: ARG001 -- its engine is at hand
    """The function, which finds the engine in its own process: for what it does before it asks any."""
    return load(MEMORIES, function_id="recollect_memories")


async def serve_page(action: Any, user_id: Any, *requests: Any, body: Any = None) -> Tab:
    """Press the button, make these requests, and wait until the page is closed."""
    tab = Tab(*requests)
    given = {"body": body or {}, "__user__": {"id": user_id}}
    await action.action(**given, __event_emitter__=tab.emit, __event_call__=tab.call)
    await until(lambda: not action._running)
    return tab


def listed(after: str | None = None) -> dict[str, Any]:
    return {"request": "list", "after": after}


def texts(reply: dict[str, Any]) -> list[str]:
    return [each["content"] for each in reply["memories"]]


async def test_a_person_sees_corrects_removes_and_undoes(
    engine: Engine, action: Any, alice: Person, bob: Person
) -> None:
    dog, rome = [await engine.add(alice, each) for each in (DOG, ROME)]
    await engine.add(bob, OSLO)

    tab = await serve_page(
        action,
        alice,
        listed(),
        {"request": "correct", "id": str(rome.id), "content": f" {OSLO} "},
        {"request": "forget", "ids": [str(dog.id)]},
        {"request": "changes"},
        listed(),
        body={"user": {"id": bob}, "user_id": bob},
    )

    first, corrected, removed, changes, last = tab.replies
    assert texts(first) == [ROME, DOG]
    assert texts(last) == [OSLO]
    told = [(each["action"], each["before"], each["after"]) for each in changes["changes"]]
    assert told[:2] == [("retire", DOG, None), ("edit", ROME, OSLO)]
    assert [each["id"] for each in changes["changes"][:2]] == [removed["changes"][0], corrected["change"]]
    undoing = [{"request": "undo", "ids": each} for each in (removed["changes"], [corrected["change"]])]
    tab = await serve_page(action, alice, *undoing, undoing[0])
    assert "failed" not in tab.replies[0] | tab.replies[1]
    assert tab.replies[2]["failed"] == "not_undoable"
    assert sorted(await contents(engine, alice)) == sorted([ROME, DOG])
    assert await contents(engine, bob) == [OSLO]
    assert {each.actor for each in (await engine.history(alice))[:4]} == {Actor.USER}


async def test_nobody_reaches_what_is_anothers(
    engine: Engine, action: Any, alice: Person, bob: Person
) -> None:
    known = await engine.add(alice, ROME)
    [update] = await engine.history(alice)

    tab = await serve_page(
        action,
        bob,
        {"request": "correct", "id": str(known.id), "content": OSLO},
        {"request": "forget", "ids": [str(known.id)]},
        {"request": "undo", "ids": [str(update.id)]},
        {"request": "forget", "ids": [f"../../{alice}/memories/{known.id}"]},
        {"request": "list", "after": "../changes"},
        listed(),
    )

    assert [each["failed"] for each in tab.replies[:5]] == ["gone"] * 5
    assert texts(tab.replies[5]) == []
    assert await contents(engine, alice) == [ROME]


async def test_without_a_person_nothing_is_opened(own_action: Any) -> None:
    for user_id in (None, "", ".", "..", "*", 7):
        tab = await serve_page(own_action, user_id, listed(), {"request": "erase"})

        assert (tab.codes, len(tab.told)) == ([], 1)


async def test_the_list_comes_in_parts(
    engine: Engine, action: Any, alice: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(5):
        await engine.add(alice, f"I own boat number {number}.")
    monkeypatch.setitem(type(action).action.__globals__, "_PAGE", 3)

    [first] = (await serve_page(action, alice, listed())).replies
    [second] = (await serve_page(action, alice, listed(first["next"]))).replies

    assert [each[-2] for each in texts(first) + texts(second)] == ["4", "3", "2", "1", "0"]
    assert second["next"] is None
    assert {"kind", "observed_at", "topics", "use"} <= first["memories"][0].keys()


async def test_a_memory_is_added_and_several_are_forgotten_at_once(
    engine: Engine, action: Any, alice: Person
) -> None:
    given = [{"request": "add", "content": f" {each} "} for each in (DOG, ROME, DOG)]

    tab = await serve_page(action, alice, *given, listed())
    ids = [each["id"] for each in tab.replies[3]["memories"]]
    forgotten = (await serve_page(action, alice, {"request": "forget", "ids": ids})).replies[0]

    assert tab.replies[2]["failed"] == "duplicate"
    assert texts(tab.replies[3]) == [ROME, DOG]
    assert await contents(engine, alice) == []
    await serve_page(action, alice, {"request": "undo", "ids": forgotten["changes"]})
    assert sorted(await contents(engine, alice)) == sorted([ROME, DOG])


async def test_what_cannot_be_forgotten_or_undone_keeps_the_others_from_nothing(
    engine: Engine, action: Any, alice: Person
) -> None:
    dog, rome = await engine.add(alice, DOG), await engine.add(alice, ROME)
    gone = str(uuid4())

    tab = await serve_page(action, alice, {"request": "forget", "ids": [str(dog.id), gone, str(rome.id)]})
    [reply] = tab.replies
    await engine.add(alice, DOG)
    undone = [{"request": "undo", "ids": reply["changes"]}, {"request": "undo", "ids": reply["changes"][:1]}]
    replies = (await serve_page(action, alice, *undone)).replies

    assert len(reply["changes"]) == 2
    assert sorted(await contents(engine, alice)) == sorted([ROME, DOG])
    assert ["failed" in each for each in replies] == [False, True]


async def test_a_person_reads_writes_and_takes_back_their_instructions(
    engine: Engine, action: Any, alice: Person
) -> None:
    read, text = {"request": "instructions"}, "Never remember my health."

    written = await serve_page(action, alice, {"request": "instruct", "text": f" {text}\n"}, read)
    own = (await engine.flags(alice)).instructions
    back = await serve_page(action, alice, {"request": "instruct", "text": " "}, read)

    assert [each.get("text") for each in (*written.replies, *back.replies)] == [None, text, None, ""]
    assert own == text
    assert await engine.flags(alice) == Flags()


async def test_a_person_decides_what_waits(engine: Engine, action: Any, alice: Person) -> None:
    await engine.change_flags(Flags(approve_first=True), ("approve_first",), alice)
    for text in (ROME, DOG):
        await engine.agents.dictate(alice, text, kind=Kind.FACT, importance=0.5, agent="mcp")

    listing = (await serve_page(action, alice, {"request": "state"}, {"request": "held"})).replies
    known = {each["content"]: each["id"] for each in listing[1]["held"]}
    decided = [{"request": "decide", "approved": each is ROME, "ids": [known[each]]} for each in (ROME, DOG)]
    replies = (await serve_page(action, alice, *decided, decided[0], {"request": "held"})).replies

    assert listing[0]["held"] == 2
    assert {each["reason"] for each in listing[1]["held"]} == {"approval"}
    assert ["failed" in each for each in replies] == [False, False, True, False]
    assert replies[-1]["held"] == []
    assert await contents(engine, alice) == [ROME]


async def test_by_the_api_a_person_acts_as_themselves_and_no_administrator_reads(
    api: Api, alice: Person
) -> None:
    action = load(MEMORIES)
    action.valves = action.Valves(memory_api=f"http://127.0.0.1:{api.port}/memory", key=TOKEN)
    await api.engine.add(alice, ROME)

    await serve_page(action, alice, listed(), {"request": "switch", "on": False})

    reads = await api.engine.admin_reads(alice, limit=9)
    assert [each.operation for each in reads] == ["make_token"]  # this key is an administrator's
    changes = await api.engine.settings_changes(alice, limit=9)
    assert {each.by.party for each in changes} == {Party.PERSON}


async def test_the_page_is_in_the_language_of_the_tab(own_action: Any, alice: Person) -> None:
    for language, title in (("de-DE", "Meine Erinnerungen"), ("pt-BR", "My memories"), (None, "My memories")):
        tab = Tab(language=language)
        given = {"body": {}, "__user__": {"id": alice}}
        await own_action.action(**given, __event_emitter__=tab.emit, __event_call__=tab.call)
        await until(lambda: not own_action._running)

        assert f"<title>{title}</title>" in tab.codes[0]


async def test_off_and_on_again(engine: Engine, action: Any, alice: Person) -> None:
    off, on = {"request": "switch", "on": False}, {"request": "switch", "on": True}

    tab = await serve_page(action, alice, {"request": "state"}, off, {"request": "state"})
    flags = await engine.flags(alice)

    assert [each["on"] for each in tab.replies] == [True, False, False]
    assert (flags.recall, flags.record) == (False, False)
    link = tab.replies[0]["link"]
    assert link is None or "/memory/ui/enter?ticket=" in link, (
        "the proxy has a page for people, the filter none"
    )
    [reply] = (await serve_page(action, alice, on)).replies
    flags = await engine.flags(alice)
    assert (reply["on"], flags.recall, flags.record) == (True, None, None)
    for half in (Flags(recall=False), Flags(record=False)):
        await engine.change_flags(half, ("recall", "record"), alice)
        [state] = (await serve_page(action, alice, {"request": "state"})).replies
        assert state["on"] is False, half


async def test_all_is_forgotten_and_who_was_off_stays_off(
    engine: Engine, action: Any, alice: Person, bob: Person
) -> None:
    for person in (alice, bob):
        await engine.add(person, ROME)

    tab = await serve_page(
        action, alice, {"request": "switch", "on": False}, {"request": "erase"}, {"request": "state"}
    )

    assert tab.replies[1]["rows"]["users_vectors"] == 1
    assert [each["on"] for each in tab.replies] == [False, False, False]
    assert await contents(engine, alice) == []
    assert await contents(engine, bob) == [ROME]


async def test_a_text_gets_into_a_script_as_json_alone(engine: Engine, action: Any, alice: Person) -> None:
    for text in HOSTILE:
        await engine.add(alice, text)

    tab = await serve_page(action, alice, listed())

    assert texts(tab.replies[0]) == HOSTILE[::-1]  # what the script holds is one JSON value
    assert all(each.isascii() for each in tab.codes)
    assert not any(text[:20] in tab.codes[0] for text in HOSTILE)
    assert tab.shown == []  # nothing is shown with the chat, which would keep it


def test_the_page_runs_its_own_script_alone() -> None:
    page = my_memories_page("en")

    assert "default-src 'none'" in page
    assert "unsafe" not in page
    assert not re.search(
        r"innerHTML|outerHTML|insertAdjacent|document\.write|eval\(|Function\(|\son\w+=", page
    )
    assert not re.search(r"https?://", page)


KNOWN = "01980f6e-52f2-7d68-9d3f-0b6c2f6f2a10"
INVALID: list[dict[str, Any]] = [
    *({"request": "correct", "id": KNOWN, "content": content} for content in (" ", "x" * 8001, "a\0b")),
    {"request": "correct", "id": None, "content": "a"},
    *({"request": "forget", "ids": [KNOWN] * count} for count in (1, 201)),
    {"request": "add", "content": " "},
    {"request": "list"},
    {"request": "switch", "on": "off"},
    {"request": "fly"},
]


async def test_an_invalid_request_is_refused_and_the_page_goes_on(own_action: Any, alice: Person) -> None:
    tab = await serve_page(own_action, alice, *INVALID, listed())

    assert [bool(reply.get("failed")) for reply in tab.replies] == [True] * len(INVALID) + [False]
    assert texts(tab.replies[-1]) == []


async def test_the_page_stays_open_without_a_request(own_action: Any, alice: Person) -> None:
    tab = await serve_page(own_action, alice, {"request": "wait"}, {"request": "wait"}, listed())

    assert tab.codes[1].endswith("turn(null) : null")
    assert [*map(bool, tab.replies)] == [False, False, True]


async def test_a_tab_that_is_gone_ends_it(
    own_action: Any, alice: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(type(own_action).action.__globals__, "_ANSWER_SECONDS", 0.05)
    for answer in (None, {"error": "Client session disconnected."}, "no", asyncio.sleep):
        tab = Tab()

        async def call(_: Any, answer: Any = answer) -> Any:
            return await asyncio.sleep(30) if answer is asyncio.sleep else answer

        await own_action.action(
            body={}, __user__={"id": alice}, __event_emitter__=tab.emit, __event_call__=call
        )
        await until(lambda: not own_action._running)

        assert len(tab.told) <= 1
        assert all("could not be shown" in each for each in tab.told)


async def test_with_neither_a_filter_nor_valves_it_says_what_to_do(alice: Person) -> None:
    assert host_engine._shared == []

    tab = await serve_page(load(MEMORIES), alice, listed())

    assert tab.codes == []
    [told] = tab.told
    assert "memory_api" in told
    assert "filter" in told


async def test_an_api_that_refuses_or_is_away_is_told(
    api: Api, alice: Person, caplog: pytest.LogCaptureFixture
) -> None:
    for valves in ({"key": "wrong"}, {"memory_api": "http://127.0.0.1:9/memory"}, {"memory_api": "no"}):
        caplog.clear()
        action = load(MEMORIES)
        given = {"memory_api": f"http://127.0.0.1:{api.port}/memory", "key": TOKEN} | valves
        action.valves = action.Valves(**given)

        tab = await serve_page(action, alice, listed(), {"request": "erase"})

        assert tab.told == ["Your memories could not be shown. Try again in a minute."]
        assert ("shown: key" in caplog.text) == ("key" in valves)
        assert TOKEN not in str(tab.codes) + caplog.text


async def test_the_button_to_undo_works_by_the_api_too(
    api: Api, store: Store, alice: Person, bob: Person
) -> None:
    chat = "7d9c1f52-2f1b-4c6e-9a53-0a8a3c1b7a11"
    exchange = store.exchange(DOG, alice.chat(chat), key="said-1")
    await api.engine._backends.store.log.append(exchange)
    undo = load(UNDO)
    undo.valves = undo.Valves(memory_api=f"http://127.0.0.1:{api.port}/memory", key=TOKEN)
    body = {
        "chat_id": chat,
        "id": "answer-1",
        "messages": [{"id": "said-1", "role": "user"}, {"id": "answer-1", "role": "assistant"}],
    }

    async def told(user_id: Any, given: Any = body) -> str:
        tab = Tab()
        await undo.action(body=given, __user__={"id": user_id}, __event_emitter__=tab.emit)
        [said] = tab.told
        return said

    for user_id in (bob, "", None, ".."):
        assert (await told(user_id)).startswith("No memory came from")
    assert (await told(alice, {})).startswith("No memory came from")
    assert (await told(alice)).startswith("Nothing is left here to undo. What was said here is not recalled")


@table(
    ("answer", "link"),
    [
        (whole(b'{"url": "https://me.example/p/1", "expires_at": "2026-03-15T09:30:00Z"}', status=201), PAGE),
        (whole(b'{"url": "https://me.example/p/1"}'), PAGE),
        (whole(b'{"url": "javascript:alert(1)"}'), None),
        (whole(b"[]"), None),
        (whole(b"{}", status=404), None),
        (whole(b"{}", status=403), None),
    ],
)
async def test_a_page_of_ones_own_is_linked_where_the_proxy_has_one(
    answer: Answer, link: str | None, alice: Person
) -> None:
    async with ScriptedUpstream() as proxy:
        made, page = (
            whole(b'{"token": "their own"}'),
            whole(b"<html></html>", headers=[(b"Content-Type", b"text/html")]),
        )
        flags = whole(b'{"effective": {"recall": null, "record": null}}')
        proxy.answers.extend([made, page, flags, answer, whole(b'{"held": []}')])
        action = load(MEMORIES)
        action.valves = action.Valves(memory_api=f"http://127.0.0.1:{proxy.port}/memory", key=" a key\n")

        tab = await serve_page(action, alice, {"request": "state"})

        assert tab.replies[0]["link"] == link
        first, *following = proxy.received
        lines = [each.line.decode() for each in following[1:]]
        user = f"/memory/users/{quote(alice, safe='')}"
        asked = ("GET", "settings"), ("POST", "page-links"), ("GET", "held")
        assert lines == [f"{method} {user}/{path} HTTP/1.1" for method, path in asked]
        assert first.values(b"Authorization") == [b"Bearer a key"]
        assert [each.values(b"Authorization") for each in following] == [[b"Bearer their own"]] * 4
