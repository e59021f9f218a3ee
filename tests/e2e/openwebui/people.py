"""People who use Open WebUI through its API, as its web page does: who they are, and their chats."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import uuid4

import httpx
from tests.e2e.openwebui.language_model import MODELS
from tests.e2e.openwebui.server import ADMIN_EMAIL, ADMIN_PASSWORD, Server
from tests.support.waiting import until

PASSWORD = "a password of theirs"
"""Of everybody who is added."""

LISBON = "I live in Lisbon with my dog Pipa."
WHERE = "In which city do I live with my dog?"
LOCKER = "My locker at the pool has the number 417."
WHICH_LOCKER = "Which number is my locker at the pool?"
PALMER = "My dentist is Doctor Palmer in Mill Lane."
QUILL = "My dentist is Doctor Quill in Castle Street."
ROWING = "My rowing club meets on Thursdays at seven."
"""What they say and ask."""

_SECONDS = 120.0
_TASKS = ("title_generation", "tags_generation", "follow_up_generation")


@dataclass(frozen=True)
class Person:
    """Somebody who is signed in."""

    id: str
    client: httpx.AsyncClient
    administrator: "Person | None" = None

    async def call(self, method: str, path: str, **given: Any) -> Any:
        """Ask the server, and return what it answers."""
        answer = await self.client.request(method, path, **given)
        assert answer.is_success, f"{method} {path}: {answer.status_code} {answer.text}"
        return answer.json()

    async def add(self, name: str) -> "Person":
        """Add a person, who is signed in; only the administrator may."""
        email = f"{name.lower()}-{uuid4().hex}@example.com"
        added = await self.call(
            "POST",
            "/api/v1/auths/add",
            json={"name": name, "email": email, "password": PASSWORD, "role": "user"},
        )
        return Person(added["id"], _client(str(self.client.base_url), added["token"]), self)

    async def add_filter(self, name: str, content: str, **valves: Any) -> None:
        """Add a filter for everybody, with these valves; only the administrator may."""
        await self.add_function(name, content)
        await self.change_valves(name, **valves)

    async def add_function(self, name: str, content: str) -> None:
        """Add a filter, an action or an event function for everybody, by its title; only the administrator may."""
        [title] = re.findall(r"^title: (.+)$", content, re.MULTILINE)
        function = {"id": name, "name": title, "content": content}
        await self.call(
            "POST", "/api/v1/functions/create", json=function | {"meta": {"description": "", "manifest": {}}}
        )
        assert (await self.call("POST", f"/api/v1/functions/id/{name}/toggle"))["is_active"]
        assert (await self.call("POST", f"/api/v1/functions/id/{name}/toggle/global"))["is_global"]

    async def delete(self, person: "Person") -> None:
        """Delete somebody's account; only the administrator may."""
        await self.call("DELETE", f"/api/v1/users/{person.id}")

    async def delete_chat(self, chat_id: str) -> None:
        """Delete a chat of this person's, or anybody's where this is the administrator."""
        await self.call("DELETE", f"/api/v1/chats/{chat_id}")

    async def delete_all_chats(self) -> None:
        await self.call("DELETE", "/api/v1/chats/")

    async def set_valves(self, name: str, **valves: Any) -> None:
        await self.call("POST", f"/api/v1/functions/id/{name}/valves/user/update", json=valves)

    async def edit_filter(self, name: str, content: str) -> None:
        """Give a filter another text; only the administrator may."""
        path = f"/api/v1/functions/id/{name}"
        function = await self.call("GET", path)
        await self.call("POST", f"{path}/update", json=function | {"content": content})

    async def change_valves(self, name: str, **valves: Any) -> None:
        """Change some valves of a filter; only the administrator may."""
        path = f"/api/v1/functions/id/{name}/valves"
        before = await self.call("GET", path) or {}
        await self.call("POST", f"{path}/update", json=before | valves)

    async def upload(self, name: str, text: str) -> dict[str, Any]:
        """Upload a document, wait until it is read, and return it as a message has it attached."""
        query = {"process": "true", "process_in_background": "false"}
        file = await self.call(
            "POST", "/api/v1/files/", params=query, files={"file": (name, text.encode(), "text/plain")}
        )
        return {"type": "file", "id": file["id"], "name": name, "url": file["id"], "status": "uploaded"}

    async def open_channel(self, *others: "Person") -> str:
        given = {"name": "kitchen", "type": "group", "user_ids": [each.id for each in others]}
        channel: str = (await self.call("POST", "/api/v1/channels/create", json=given))["id"]
        return channel

    async def asks_in_channel(self, channel: str, text: str) -> str:
        """Ask the first model something before all in a channel, and return what it answers there."""
        path = f"/api/v1/channels/{channel}/messages"
        content = f"<@M:{MODELS[0]}|{MODELS[0]}> {text}"
        posted = await self.call("POST", f"{path}/post", json={"content": content})
        answers: list[str] = []

        async def answered() -> bool:
            thread = await self.call("GET", f"{path}/{posted['id']}/thread")
            answers[:] = [
                each["content"] for each in thread if each["id"] != posted["id"] and each["content"]
            ]
            return bool(answers)

        await until(answered, seconds=_SECONDS)
        return answers[0]

    async def ended(self, tasks: Sequence[str]) -> None:
        """Wait until none of these is done any more."""
        asking = self.administrator or self

        async def none_runs() -> bool:
            running = (await asking.call("GET", "/api/tasks"))["tasks"]
            return not set(tasks) & set(running)

        await until(none_runs, seconds=_SECONDS)


async def signed_in(server: Server) -> Person:
    """Return the administrator, who has looked which models there are."""
    async with _client(server.base_url) as client:
        given = {"email": ADMIN_EMAIL, "password": ADMIN_PASSWORD}
        session = (await client.post("/api/v1/auths/signin", json=given)).raise_for_status().json()
    administrator = Person(session["id"], _client(server.base_url, session["token"]))
    offered = await administrator.call("GET", "/api/models", params={"refresh": "true"})
    assert set(MODELS) <= {model["id"] for model in offered["data"]}
    return administrator


@dataclass
class Conversation:
    """A chat of one person.

    Attributes:
        person: Whose it is.
        id: As Open WebUI names it; "" before the first message of one that is saved.
        tasks: Whether it is given a title, tags and follow-ups.
        legacy: Whether documents are searched for the model, which else is told of tools for that.
        said: The id of the person's last message.
        answered: The ids of the answers to it, a model each.
        switches: The filters that the person switched on in it.
        folder: The folder that it is begun in; "" for none.
    """

    person: Person
    id: str = ""
    tasks: bool = False
    legacy: bool = False
    said: str = ""
    answered: list[str] = field(default_factory=list)
    switches: Sequence[str] = ()
    folder: str = ""
    _parent: str | None = None
    _last: dict[str, Any] = field(default_factory=dict)

    async def says(
        self, text: str, *, models: Sequence[str] = MODELS[:1], files: Sequence[dict[str, Any]] = ()
    ) -> str:
        """Say something, wait until all is done that follows on it, and return what the first model answers.

        It is "" in a temporary chat, of which the server keeps nothing.
        """
        self._parent = self.answered[0] if self.answered else None
        self.said = str(uuid4())
        return await self._answer(text, models, files)

    async def is_told_by_a_timer(self, text: str) -> str:
        """Have said for this person what a model wrote down to be said later, as ``says`` does."""
        self._parent, self.said = self.answered[0], str(uuid4())
        return await self._answer(text, MODELS[:1], (), meta={"internal": True, "type": "timer"})

    async def is_stopped(self, text: str) -> None:
        """Say something, and stop the answer once the model was asked."""
        self._parent = self.answered[0] if self.answered else None
        self.said, self.answered = str(uuid4()), [str(uuid4())]
        self._last = self._message(text, MODELS[:1], ())
        begun = await self.person.call("POST", "/api/chat/completions", json=self._request(MODELS[:1]))
        self.id = begun["chat_id"]

        async def is_answering() -> bool:
            return "Well" in str((await self.answer()).get("output") or (await self.answer())["content"])

        await until(is_answering, seconds=_SECONDS)
        [task] = begun["task_ids"]
        stopping = self.person.administrator or self.person
        await stopping.call("POST", f"/api/tasks/stop/{task}")
        await self.person.ended(begun["task_ids"])

    async def edits(self, text: str) -> str:
        """Say something else in the place of the last message, as ``says`` does."""
        self.said = str(uuid4())
        return await self._answer(text, MODELS[:1], ())

    async def regenerates(self, prompt: str = "") -> str:
        """Regenerate the last answer, optionally with a prompt for how, as ``says`` does."""
        guided: dict[str, Any] = (
            {"regeneration_prompt": prompt, "regeneration_message_id": self.answered[0]} if prompt else {}
        )
        return await self._answer(self._last["content"], MODELS[:1], self._last["files"], **guided)

    async def messages(self) -> dict[str, dict[str, Any]]:
        """Return the messages that are kept of it, by their ids."""
        kept = await self.person.call("GET", f"/api/v1/chats/{self.id}")
        messages: dict[str, dict[str, Any]] = kept["chat"]["history"]["messages"]
        return messages

    async def answer(self) -> dict[str, Any]:
        """Return what is kept of the first answer to the last message."""
        return (await self.messages())[self.answered[0]]

    async def statuses(self) -> list[str]:
        """Return the lines over that answer, in order, but those that Open WebUI itself put there."""
        history = (await self.answer()).get("statusHistory") or []
        shown = [each for each in history if "action" not in each]
        assert all(each.get("done") is True for each in shown), shown
        return [each["description"] for each in shown]

    async def _answer(
        self,
        text: str,
        models: Sequence[str],
        files: Sequence[dict[str, Any]],
        *,
        meta: Mapping[str, Any] | None = None,
        **guided: str,
    ) -> str:
        self.answered = [str(uuid4()) for _ in models]
        self._last = self._message(text, models, files) | ({"meta": meta} if meta else {})
        begun = await self.person.call("POST", "/api/chat/completions", json=self._request(models) | guided)
        self.id = begun["chat_id"]
        await self.person.ended(begun["task_ids"])
        if ":" in self.id:
            return ""
        kept = await self.messages()
        for answer in (kept[each] for each in self.answered):
            assert answer.get("done"), "an answer has no end"
            assert not answer.get("error"), answer["error"]
            shown = answer.get("statusHistory") or [{}]
            assert shown[-1].get("done", True), f"a status shimmers for ever: {shown}"
        first: str = kept[self.answered[0]]["content"]
        return first

    def _message(self, text: str, models: Sequence[str], files: Sequence[dict[str, Any]]) -> dict[str, Any]:
        return {
            "id": self.said,
            "parentId": self._parent,
            "role": "user",
            "content": text,
            "files": list(files),
            "models": list(models),
        }

    def _request(self, models: Sequence[str]) -> dict[str, Any]:
        answers = [
            {"model_id": model, "message_id": answer, "modelIdx": index}
            for index, (model, answer) in enumerate(zip(models, self.answered, strict=True))
        ]
        return {
            "model": models[0],
            "stream": True,
            "session_id": "a browser's tab",
            "parent_id": self._parent,
            "message_ids": answers,
            "user_message": self._last,
            "messages": [{"role": "user", "content": self._last["content"]}],
            "files": self._last["files"],
            "filter_ids": list(self.switches),
            "background_tasks": dict.fromkeys(_TASKS, True) if self.tasks else {},
            "features": {},
            "params": {"function_calling": "legacy"} if self.legacy else {},
            **({"chat_id": self.id} if self.id else {"folder_id": self.folder or None}),
        }


def temporary(person: Person) -> Conversation:
    """Return a chat of which nothing is kept."""
    return Conversation(person, id=f"temporary:{uuid4()}")


def _client(base_url: str, token: str = "") -> httpx.AsyncClient:
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    return httpx.AsyncClient(base_url=base_url, headers=headers, timeout=_SECONDS, trust_env=False)
