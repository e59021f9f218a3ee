"""The authorization matrix: every operation, by every kind of caller; and an address with too many wrong tokens, which waits."""

from collections.abc import AsyncIterator
from contextlib import nullcontext
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any
from urllib.parse import quote
from uuid import UUID

import pytest
from tests.recollect_proxy.memory_api.serving import (
    TOKEN,
    Api,
    GivenEngine,
    assert_error,
    bearer,
    engine_over,
    path_of,
    recalled,
    serve,
)
from tests.recollect_proxy.memory_api.test_documentation import operations
from tests.support.stores import NOON, Store
from tests.support.tables import table
from uuid_utils.compat import uuid7

from recollect.engine import system_clock
from recollect.errors import ConfigurationError
from recollect.model import Add, Exchange, Formed, KeptRequest, Reason, Scope, project_scope
from recollect.store import Postgres
from recollect_proxy.access.access_keys import AccessKeys, KeyRole, add_access_key
from recollect_proxy.access.authentication import Authentication
from recollect_proxy.access.failed_attempts import TooManyAttemptsError
from recollect_proxy.access.person_tokens import Audience, PersonTokens
from recollect_proxy.identity.caller import Claim
from recollect_proxy.memory_api import MemoryApi
from recollect_proxy.serving.ephemeral_server import serve_upstream
from recollect_proxy.web.asgi import Headers

ELSEWHERE = "203.0.113.0/24"
PUBLIC = {"GET /memory/health"}
_OF_USER = "/memory/users/{user_id}"
_OF_ALL = ("metrics", "usage", "embeddings", "report", "metrics.json", "debug/retrieval", "debug/stats")
ADMINISTRATORS = {
    f"POST {_OF_USER}/import",  # it brings settings and an audit
    *(f"{method} /memory/settings" for method in ("GET", "PATCH")),
    *(f"GET /memory/{name}" for name in ("global", *_OF_ALL)),
    *(f"POST /memory/{name}" for name in ("global", "formation/retry", "debug/formation")),
    "DELETE /memory/global/{memory_id}",
    f"POST {_OF_USER}/memories/{{memory_id}}/share",
}
OWN_REQUESTS = {
    *("GET /memory/explain/{request_id}", "GET /memory/teams", "POST /memory/teams"),
    *(f"{method} /memory/teams/{{team}}" for method in ("GET", "DELETE")),
    *("POST /memory/teams/{team}/members", "DELETE /memory/teams/{team}/members/{member}"),
}


OF_THE_PERSON = {
    f"DELETE {_OF_USER}",
    *(f"GET {_OF_USER}/{name}" for name in ("export", "admin-reads", "openwebui-page", "usage")),
    *(f"{method} {_OF_USER}/projects/{{project}}" for method in ("PATCH", "DELETE")),
    *(f"{method} {_OF_USER}/settings" for method in ("GET", "PATCH")),
    *(f"{method} {_OF_USER}/profile" for method in ("GET", "POST")),
    *(f"{method} {_OF_USER}/profile/{{entry_id}}" for method in ("PATCH", "DELETE")),
    *(f"POST {_OF_USER}/profile/{name}" for name in ("proposals", "{entry_id}/confirm")),
    *(f"POST {_OF_USER}/{name}" for name in ("tokens", "page-links", "memories/{memory_id}/move")),
    *(f"POST {_OF_USER}/{name}" for name in ("held", "held/{memory_id}/approve")),
    f"GET {_OF_USER}/projects",
}
"""What a key for one project may not do: it concerns the user, or another project."""


@dataclass(frozen=True)
class Askers:
    api: Api
    authentication: Authentication
    keys: Path
    headers: dict[str, list[tuple[bytes, bytes]]]


@pytest.fixture
async def askers(postgres: Postgres, store: Store, tmp_path: Path) -> AsyncIterator[Askers]:
    keys = tmp_path / "access-keys"
    authentication = Authentication(TOKEN, system_clock, keys=AccessKeys(keys))
    made, past = (
        authentication.person_tokens,
        PersonTokens(TOKEN, lambda: system_clock() - timedelta(hours=2)),
    )
    in_boat = bearer(add_access_key(keys, KeyRole.ACTING, "mate", project="boat"))
    tokens = {
        "admin": TOKEN,
        "further-admin": add_access_key(keys, KeyRole.ADMIN, "ops"),
        "reader": add_access_key(keys, KeyRole.READER, "support"),
        "acting": add_access_key(keys, KeyRole.ACTING, "openwebui"),
        "own": made.make(store.anna, Audience.API)[0],
        "wrong-user": made.make(store.ben, Audience.API)[0],
        "acting-from-elsewhere": add_access_key(keys, KeyRole.ACTING, "away", networks=[ELSEWHERE]),
        "acting-for-others": add_access_key(keys, KeyRole.ACTING, "others", users="nobody-begins-so"),
        "expired": past.make(store.anna, Audience.API)[0],
        "forged": PersonTokens("another admin token", system_clock).make(store.anna, Audience.API)[0],
        "for-the-page": made.make(store.anna, Audience.PAGE_LINK)[0],
    }
    headers = {name: bearer(token) for name, token in tokens.items()} | {
        "acting-in-a-project": in_boat,
        "acting-in-another": [*in_boat, (b"X-Recollect-Project", b"house")],
        "anonymous": [],
        "plain-header": [(b"x-openwebui-user-id", store.anna.encode())],
        "twice": bearer(TOKEN) * 2,
        "basic": [(b"Authorization", f"Basic {TOKEN}".encode())],
    }
    application = MemoryApi(GivenEngine(engine_over(postgres)), authentication=authentication)
    async with serve_upstream(application) as origin:
        port, people = int(origin.rpartition(":")[2]), {"anna": store.anna, "ben": store.ben}
        api = Api(port=port, live=GivenEngine(None), authentication=authentication, **people)
        yield Askers(api, authentication, keys, headers)


UNKNOWN = {
    *("anonymous", "plain-header", "expired", "forged", "for-the-page", "twice", "basic"),
    "acting-from-elsewhere",
}


def is_allowed(asker: str, name: str) -> bool:
    """Return whether a caller may do an operation, independently of the product's code."""
    allowed = {
        "admin": True,
        "further-admin": True,
        "reader": name.startswith("GET "),
        "acting": name not in ADMINISTRATORS | OWN_REQUESTS,
        "acting-in-a-project": name not in ADMINISTRATORS | OWN_REQUESTS | OF_THE_PERSON,
        "own": name not in ADMINISTRATORS and not name.endswith("/tokens"),
        "wrong-user": name in OWN_REQUESTS,
    }
    return name in PUBLIC or allowed.get(asker, False)


def target(path: str, user_id: str) -> str:
    """Return the path of something of the user that is not there."""
    filled = path.replace("{user_id}", quote(user_id, safe="")).replace("{session_id}", "no-such-chat")
    for name in ("memory_id", "change_id", "request_id", "message_id", "entry_id"):
        filled = filled.replace(f"{{{name}}}", str(uuid7()))
    return filled


async def test_every_operation_lets_in_those_who_may_alone(askers: Askers, documentation: Any) -> None:
    named = operations(documentation)
    assert named.keys() >= PUBLIC | ADMINISTRATORS | OWN_REQUESTS
    wrong: list[tuple[str, str, int]] = []
    for name in sorted(named, key=lambda each: each == "DELETE /memory/users/{user_id}"):
        method, _, path = name.partition(" ")
        known = name in PUBLIC | ADMINISTRATORS | OWN_REQUESTS or "/users/{user_id}" in path
        assert known, f"{name} is new, and nobody said who may do it"
        for asker, headers in askers.headers.items():
            askers.api.forget_failures()
            asked = "HEAD" if path.endswith("/events") else method  # a stream has no end
            response = await askers.api.call(asked, target(path, askers.api.anna), headers=headers)
            refused = None if is_allowed(asker, name) else 401 if asker in UNKNOWN else 403
            if refused != (response.status if response.status in {401, 403} else None):
                wrong.append((asker, name, response.status))
    assert wrong == []


async def test_a_key_for_one_project_brings_nothing_of_the_persons_own_back(
    askers: Askers, store: Store
) -> None:
    api, key = askers.api, askers.headers["acting-in-a-project"]
    tea = await api.write("Likes tea.")
    await api.call("DELETE", f"{api.memories}/{tea['id']}")
    said = store.turn("Forget number 1", Scope(project_scope(store.anna, "boat"), "chat"))
    await store.log.append(Exchange(uuid7(), said, "Done.", uuid7(), uuid7()))
    asked = KeptRequest(said.anchor, "forget_listed", (UUID(tea["id"]),), system_clock())
    await store.asked.keep_request(said.scope, asked)

    undo = f"{path_of(store.anna)}/sessions/chat/undo", {"message": said.key}
    undone = await api.call("POST", *undo, headers=key)

    assert (undone.status, undone.json["changes"]) == (200, [])
    assert await api.contents() == []


async def test_a_key_for_one_project_undoes_no_move_out_of_it_or_into_it(askers: Askers) -> None:
    api, key = askers.api, askers.headers["acting-in-a-project"]
    tea = await api.write("Likes tea.")
    moved = await api.call("POST", f"{api.memories}/{tea['id']}/move", {"project": "boat"})
    [came] = (await api.call("GET", f"{api.memories}/changes", headers=key)).json["changes"]

    undone = await api.call("POST", f"{api.memories}/changes/{came['id']}/undo", headers=key)

    assert_error(undone, 403, "forbidden")
    assert await api.contents() == []
    assert (await api.call("GET", f"{api.memories}/{moved.json['id']}", headers=key)).status == 200


async def test_a_key_that_is_gone_or_in_a_broken_file_counts_no_more(askers: Askers) -> None:
    asked = ("GET", askers.api.memories)
    assert (await askers.api.call(*asked, headers=askers.headers["acting"])).status == 200

    for left in ("# none\n", "sha256:00 superuser x * *\n"):
        askers.keys.write_text(left)

        assert (await askers.api.call(*asked, headers=askers.headers["acting"])).status == 401
        assert (await askers.api.call(*asked, headers=askers.headers["admin"])).status == 200


@table(("user", "status"), [("a%2Fb", 403), ("a/b", 200)])
async def test_a_token_is_for_the_user_whom_the_path_means(askers: Askers, user: str, status: int) -> None:
    token = askers.authentication.person_tokens.make(user, Audience.API)[0]

    answer = await askers.api.call("GET", "/memory/users/a%2Fb/memories", headers=bearer(token))

    assert answer.status == status


async def test_the_user_sees_what_administrators_read_and_nothing_else(askers: Askers) -> None:
    await askers.api.write("Likes tea.")
    for asker in ("reader", "admin", "acting", "own"):
        read = await askers.api.call("GET", askers.api.memories, headers=askers.headers[asker])
        assert read.status == 200

    response = await askers.api.call("GET", f"{askers.api.user}/admin-reads", headers=askers.headers["own"])

    assert [(read["reader"], read["operation"]) for read in response.json["reads"]] == [
        ("admin-token", "list_memories"),
        ("support", "list_memories"),
    ]


async def test_a_person_sees_who_changed_their_settings(askers: Askers) -> None:
    for asker, recall in (("own", False), ("acting", True), ("further-admin", None)):
        changed = await askers.api.call(
            "PATCH", f"{askers.api.user}/settings", {"recall": recall}, headers=askers.headers[asker]
        )
        assert changed.status == 200, changed.body

    response = await askers.api.call("GET", f"{askers.api.user}/admin-reads", headers=askers.headers["own"])

    assert [(each["by"], each["changed"]) for each in response.json["settings"]] == [
        ("administrator", {"recall": {"before": True, "after": None}}),
        ("integration", {"recall": {"before": False, "after": True}}),
        ("person", {"recall": {"before": None, "after": False}}),
    ]
    assert [each["name"] for each in response.json["settings"]][:2] == ["ops", "openwebui"]


@table(
    ("asker", "actor"), [("own", "user"), ("acting", "user"), ("admin", "admin"), ("further-admin", "admin")]
)
async def test_the_audit_tells_people_from_administrators(askers: Askers, asker: str, actor: str) -> None:
    headers, api = askers.headers[asker], askers.api
    tea = (await api.call("POST", api.memories, {"content": "Likes tea."}, headers=headers)).json["id"]
    await api.call("PATCH", f"{api.memories}/{tea}", {"importance": 1}, headers=headers)
    changes = [{"op": "correct", "id": tea, "content": "Likes green tea."}]
    await api.call("POST", f"{api.memories}/bulk", {"operations": changes}, headers=headers)
    history = await api.call("GET", f"{api.memories}/changes", headers=headers)
    last = history.json["changes"][0]["id"]
    await api.call("POST", f"{api.memories}/changes/{last}/undo", headers=headers)
    await api.call("DELETE", f"{api.memories}/{tea}", headers=headers)

    history = await api.call("GET", f"{api.memories}/changes?limit=5", headers=headers)

    assert [update["actor"] for update in history.json["changes"]] == [actor] * 5


async def test_a_person_can_not_change_what_bounds_them(askers: Askers) -> None:
    path = f"{askers.api.user}/settings"
    for asker in ("own", "acting"):  # it works on everybody's tables
        vacuum = f"{askers.api.user}?vacuum=true"
        assert (await askers.api.call("DELETE", vacuum, headers=askers.headers[asker])).status == 403

    for change in ({"user_cap": 7}, {"session_cap": 7}, {"operator_instructions": "Keep editors."}):
        response = await askers.api.call("PATCH", path, change, headers=askers.headers["own"])
        assert response.status == 403
        response = await askers.api.call("PATCH", path, change, headers=askers.headers["admin"])
        assert response.status == 200
    changes: dict[str, Any] = dict.fromkeys(("lexical", "history", "queries"), False)
    changes |= {"max_memory_tokens": 90, "summary_turns": 9}
    response = await askers.api.call("PATCH", path, changes, headers=askers.headers["own"])
    assert response.json["own"] | changes == response.json["own"]
    response = await askers.api.call("PATCH", path, {"recall": False}, headers=askers.headers["own"])
    assert response.json["own"] | {"recall": False, "user_cap": 7} == response.json["own"]


async def test_a_token_of_ones_own_opens_ones_own_until_it_ends(askers: Askers) -> None:
    made = await askers.api.call("POST", f"{askers.api.user}/tokens", headers=askers.headers["acting"])
    assert made.status == 201
    assert datetime.fromisoformat(made.json["expires_at"]) > NOON
    own = bearer(made.json["token"])

    assert (await askers.api.call("GET", askers.api.memories, headers=own)).status == 200
    assert (await askers.api.call("GET", f"{path_of(askers.api.ben)}/memories", headers=own)).status == 403
    assert (await askers.api.call("POST", f"{askers.api.user}/tokens", headers=own)).status == 403
    linked = await askers.api.call("POST", f"{askers.api.user}/page-links", headers=askers.headers["acting"])
    url, _, ticket = linked.json["url"].partition("?ticket=")
    assert url.endswith("/memory/ui/enter")
    assert (await askers.api.call("GET", askers.api.memories, headers=bearer(ticket))).status == 401


async def test_a_request_is_explained_to_its_own(askers: Askers, store: Store, postgres: Postgres) -> None:
    engine = engine_over(postgres)
    await askers.api.write("Likes tea.")
    request_id = await recalled(engine, store.turn())

    asked = "GET", f"/memory/explain/{request_id}"
    for asker, status in (("own", 200), ("wrong-user", 404), ("reader", 200), ("acting", 403)):
        assert (await askers.api.call(*asked, headers=askers.headers[asker])).status == status, asker
    reads = await engine.admin_reads(store.anna, limit=10)
    assert [read.operation for read in reads] == ["explain_request"]


async def test_an_administrator_who_takes_changes_is_noted(askers: Askers, store: Store) -> None:
    exchange = store.exchange("I live in Ghent", store.anna.chat("chat"))
    await store.log.append(exchange)
    taken = f"{askers.api.user}/sessions/chat/changes", {"message": exchange.turn.key}

    in_vain = await askers.api.call("POST", *taken, headers=askers.headers["further-admin"])
    added = Add(store.memory("Lives in Ghent."), Reason.NEW)
    await store.inbox.complete([Formed(exchange, (added,))], at=NOON)
    found = await askers.api.call("POST", *taken, headers=askers.headers["further-admin"])

    assert (in_vain.json["line"], found.json["line"]) == ("", "Remembered: Lives in Ghent.")
    reads = await askers.api.call("GET", f"{askers.api.user}/admin-reads", headers=askers.headers["own"])
    assert [each["operation"] for each in reads.json["reads"]] == ["take_message_changes"]


@table("path", ["tokens", "page-links"])
async def test_who_makes_a_token_for_a_person_as_administrator_is_noted(askers: Askers, path: str) -> None:
    await askers.api.write(f"Likes {path}.")
    for asker in ("further-admin", "acting"):
        await askers.api.call("POST", f"{askers.api.user}/{path}", headers=askers.headers[asker])

    response = await askers.api.call("GET", f"{askers.api.user}/admin-reads", headers=askers.headers["own"])

    made = {"tokens": "make_token", "page-links": "make_page_link"}[path]
    reads = [read["reader"] for read in response.json["reads"] if read["operation"] == made]
    assert reads == ["ops"]


@pytest.mark.parametrize("name", ["admin-token", "openwebui"])
async def test_no_key_has_the_name_of_another(askers: Askers, name: str) -> None:
    with pytest.raises(ConfigurationError, match="taken"):
        add_access_key(askers.keys, KeyRole.ADMIN, name)


def test_a_weak_admin_token_signs_nothing_that_lets_it_be_guessed() -> None:
    weak = PersonTokens("hunter2", system_clock)
    token = weak.make("anna", Audience.API)[0]

    assert (weak.read(token, Audience.API) or ("",))[0] == "anna"
    assert PersonTokens("hunter2", system_clock).read(token, Audience.API) is None
    strong = PersonTokens(TOKEN, system_clock).make("anna", Audience.API)[0]
    assert (PersonTokens(TOKEN, system_clock).read(strong, Audience.API) or ("",))[0] == "anna"


async def test_no_answer_kept_for_another_project_is_repeated(askers: Askers) -> None:
    acting = askers.headers["acting"]
    once = (b"Idempotency-Key", b"a-key")
    house, boat = ([*acting, (b"X-Recollect-Project", each)] for each in (b"house", b"boat"))
    posted = "POST", askers.api.memories, {"content": "Likes tea."}
    callers = (acting, house, askers.headers["acting-in-a-project"], boat)
    answers = [await askers.api.call(*posted, headers=[*each, once]) for each in callers]

    assert [each.status for each in answers] == [201] * 4
    assert [each.header(b"idempotency-replayed") for each in answers] == [None, None, None, b"true"]
    assert len({each.json["id"] for each in answers}) == 3


ENDED = PersonTokens(TOKEN, lambda: system_clock() - timedelta(hours=2)).make("anna", Audience.API)[0]
OF_A_PAGE = PersonTokens(TOKEN, system_clock).make("anna", Audience.PAGE_LINK)[0]
FORGED = PersonTokens("another admin token of 0123456789 characters", system_clock)


class Signed:
    """A mode whose signed tokens have all ended."""

    headers: frozenset[bytes] = frozenset()
    secrets: frozenset[bytes] = frozenset()

    def claim(self, headers: Headers, peer: str | None) -> Claim | None:  # noqa: ARG002 -- the port's
        return Claim(None)


@table(
    ("admin_token", "modes", "sent", "waits"),
    [
        (TOKEN, (), "guess", True),
        (TOKEN, (), FORGED.make("anna", Audience.API)[0], True),
        *((TOKEN, (), each, False) for each in (None, "", ENDED, OF_A_PAGE, TOKEN)),
        (TOKEN, (Signed(),), "head.body.signature", False),
        (TOKEN, (Signed(),), "guess", True),
        ("a.b.c", (Signed(),), "head.body.signature", True),
    ],
)
def test_guesses_wait(admin_token: str, modes: tuple[Signed, ...], sent: str | None, *, waits: bool) -> None:
    authentication = Authentication(admin_token, system_clock, modes=modes)
    headers = [] if sent is None else [(b"authorization", f"Bearer {sent}".encode())]
    for _ in range(10):
        authentication.admitted(headers, "192.0.2.7")

    with pytest.raises(TooManyAttemptsError) if waits else nullcontext():
        authentication.admitted(headers, "192.0.2.7")
    authentication.admitted(headers, "192.0.2.8")


@table(
    ("authorization", "is_known"),
    [
        *(([f"{scheme}  {TOKEN} "], True) for scheme in ("Bearer", "bearer", "BEARER")),
        *(([each], False) for each in ("", "Bearer", "Bearer ", "Bearer another token", TOKEN)),
        *(([each], False) for each in (f"Bearer {TOKEN}x", f"Bearer {TOKEN[:-1]}", f"Basic {TOKEN}")),
        *(([each], False) for each in ("Bearer \xff\xfe", "Bearer \u20ac")),
        ([], False),
        *(([each, f"Bearer {TOKEN}"], False) for each in (f"Bearer {TOKEN}", "Bearer another token")),
    ],
)
def test_the_token_is_told_from_any_other(authorization: list[str], *, is_known: bool) -> None:
    headers = [(b"authorization", value.encode("latin-1", "replace")) for value in authorization]

    assert (Authentication(TOKEN, system_clock).admitted(headers, None) is not None) is is_known


@table("token", ["", " ", "\n"])
def test_an_empty_token_would_let_everybody_in_and_is_refused(token: str) -> None:
    with pytest.raises(ConfigurationError, match="empty"):
        Authentication(token, system_clock)


def test_a_token_that_can_be_guessed_waits_like_those_who_guess_it() -> None:
    weak = Authentication("tea", system_clock)
    tea, guess = [(b"authorization", b"Bearer tea")], [(b"authorization", b"Bearer milk")]
    assert weak.admitted(tea, None) is not None
    for _ in range(10):
        weak.admitted(guess, None)

    with pytest.raises(TooManyAttemptsError):
        weak.admitted(tea, None)


async def test_an_address_that_waits_is_told_so(postgres: Postgres, store: Store) -> None:
    async with serve(engine_over(postgres)) as served:
        api: Api = replace(served, anna=store.anna, ben=store.ben)
        own = api.authentication.person_tokens.make(api.anna, Audience.API)[0]

        async def ask(token: str, path: str = api.memories) -> int:
            return (await api.call("GET", path, headers=bearer(token))).status

        forbidden = {await ask(own, f"{path_of(api.ben)}/memories") for _ in range(12)}
        guesses = [await ask(f"guess {number}", "/api/sessions/chat/memories") for number in range(9)]
        guesses += [await ask("guess"), await ask("guess")]
        refused = await api.call("GET", api.memories, headers=bearer("guess"))
        valid = [await ask(each) for each in (TOKEN, own)]

    assert forbidden == {403}
    assert guesses == [401] * 10 + [429]
    assert_error(refused, 429, "too_many_attempts")
    assert 0 < int(refused.header(b"retry-after") or b"0") <= 61
    assert valid == [200, 200]
