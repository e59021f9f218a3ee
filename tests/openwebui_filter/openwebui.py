"""Open WebUI as a filter meets it: how 0.12.4 loads a function, and what it hands to the hooks."""

import asyncio
import inspect
import re
import sys
import types
from copy import deepcopy
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from uuid import uuid4

FUNCTIONS = Path(__file__).parents[2] / "openwebui_filter"
CONTENT = (FUNCTIONS / "recollect_filter.py").read_text()
OFF, UNDO, EVENTS, MEMORIES = (
    (FUNCTIONS / f"recollect_{name}.py").read_text() for name in ("off", "undo", "events", "memories")
)
REWRITTEN = ("from utils", "from apps", "from main", "from config")

_FRONTMATTER = re.compile(r"^\s*([a-z_]+):\s*(.*)\s*$", re.IGNORECASE)


def frontmatter(content: str) -> dict[str, str]:
    """Read the metadata: between a first line of nothing but three quotes and the next three quotes."""
    first, *lines = content.splitlines()
    found: dict[str, str] = {}
    if first.strip() != '"""':
        return found
    for line in lines:
        if '"""' in line:
            break
        if match := _FRONTMATTER.match(line):
            found[match[1].strip()] = match[2].strip()
    return found


def replace_imports(content: str) -> str:
    """Rewrite what looks like an import of a module that has moved, wherever it stands."""
    for old in REWRITTEN:
        content = content.replace(old, old.replace("from ", "from open_webui."))
    return content


def load(content: str = CONTENT, *, function_id: str = "recollect") -> Any:
    """Execute a function in a module of a random name, and build what it is: a filter, an action or an event."""
    module = types.ModuleType(f"function_{function_id}_{uuid4().hex}")
    sys.modules[module.__name__] = module
    exec(replace_imports(content), module.__dict__)
    sys.modules[f"function_{function_id}"] = module
    return next(module.__dict__[kind]() for kind in ("Filter", "Action", "Event") if kind in module.__dict__)


@dataclass
class Chat:
    """A chat of one user with a model, through the hooks of a filter."""

    filter: Any
    user_id: str
    chat_id: str = field(default_factory=lambda: str(uuid4()))
    metadata: dict[str, Any] = field(default_factory=dict)
    valves: dict[str, bool] | None = field(default_factory=dict)
    history: list[dict[str, Any]] = field(default_factory=list)
    sent: dict[str, Any] = field(default_factory=dict)
    switch: Any = None
    shown: list[dict[str, Any]] = field(default_factory=list)

    @property
    def statuses(self) -> list[str]:
        """The lines that were shown over answers; each has to be done."""
        statuses = [event["data"] for event in self.shown if event["type"] == "status"]
        assert all(each["done"] is True for each in statuses)
        return [each["description"] for each in statuses]

    @property
    def sources(self) -> list[dict[str, Any]]:
        """The sources that were shown under answers."""
        return [event["data"] for event in self.shown if event["type"] == "source"]

    async def acts(self, action: Any, **user: Any) -> list[dict[str, Any]]:
        """Press an action's button under the last answer, and return what the browser is sent for it."""
        before = len(self.shown)
        body = {
            "model": "some-model",
            "messages": [{name: said[name] for name in ("id", "role", "content")} for said in self.history],
            "chat_id": self.chat_id,
            "session_id": "a browser's tab",
            "id": self.history[-1]["id"],
        }
        await action.action(body=body, __user__={"id": self.user_id} | user, __event_emitter__=self._show)
        return self.shown[before:]

    async def _show(self, event: dict[str, Any]) -> None:
        self.shown.append(event)

    async def says(self, text: Any, reply: str = "All right.") -> str:
        """Say something, be answered, and return what the model was told by the system."""
        self.history.append(self._message("user", text))
        return await self._answered(reply)

    async def edits(self, text: Any, *, back: int = 1) -> str:
        """Say something else in the place of the message that many turns back, as ``says`` does."""
        del self.history[-2 * back :]
        return await self.says(text)

    async def asks_again(self, reply: str) -> str:
        """Have the last message answered anew, as ``says`` does."""
        del self.history[-1]
        return await self._answered(reply)

    async def is_stopped(self, text: Any) -> None:
        """Say something, and stop the answer before its first word."""
        self.history.append(self._message("user", text))
        metadata, prepared = self._metadata(self._message("assistant", "")["id"]), asyncio.Event()

        async def answer() -> None:
            await self._call("request", self._sent(), metadata, SimpleNamespace(state=SimpleNamespace()))
            prepared.set()
            await asyncio.Event().wait()

        answering = asyncio.create_task(answer())
        await prepared.wait()
        answering.cancel()
        await asyncio.wait({answering})

    def _metadata(self, answer_id: str) -> dict[str, Any]:
        saved = bool(self.chat_id) and ":" not in self.chat_id
        return {
            "user_id": self.user_id,
            "message_id": answer_id if self.chat_id else None,
            "chat_id": self.chat_id,
            "session_id": "a browser's tab" if self.chat_id else None,
            "user_message_id": self.history[-1]["id"] if self.chat_id else None,
            **({"user_message": self._sent_message()} if saved else {}),
            **self.metadata,
        }

    def _sent(self) -> dict[str, Any]:
        return {
            "model": "some-model",
            "messages": [{"role": said["role"], "content": said["content"]} for said in self.history],
            "stream": bool(self.chat_id),
        }

    async def _answered(self, reply: str) -> str:
        saved = bool(self.chat_id) and ":" not in self.chat_id
        answer = self._message("assistant", reply)
        metadata, sent = self._metadata(answer["id"]), self._sent()
        request = SimpleNamespace(state=SimpleNamespace())
        if self.switch is not None:
            sent = await self.switch.inlet(body=sent, __metadata__=metadata)
        body = await self._call("request", sent, metadata, request)
        self.sent = deepcopy(body)
        heard = "\n".join(said["content"] for said in body["messages"] if said["role"] == "system")

        self.history.append(answer)
        messages = self.history if saved else [*body["messages"], self.history[-1]]
        answered = {"model": "some-model", "messages": deepcopy(messages), "chat_id": self.chat_id}
        assert await self._call("outlet", deepcopy(answered), metadata, request) == answered
        return heard

    def _sent_message(self) -> dict[str, Any]:
        """Return the user's message as the browser sends it along, with the id of the one before."""
        *before, said = self.history
        parents = [each["id"] for each in before if each["role"] != "system"]
        return {
            "id": said["id"],
            "parentId": parents[-1] if parents else None,
            "role": "user",
            "content": said["content"],
        }

    async def _call(self, hook: str, body: Any, metadata: dict[str, Any], request: Any) -> Any:
        """Hand a hook what it asks for, as Open WebUI does."""
        user: dict[str, Any] = {"id": self.user_id, "name": "Somebody", "role": "user"}
        if self.valves is not None:
            user["valves"] = self.filter.UserValves(**self.valves)
        offered = {
            "__user__": user,
            "__metadata__": metadata,
            "__request__": request,
            "__model__": {"id": "some-model"},
            "__id__": "recollect",
            "__event_emitter__": self._show,
            "__event_call__": None,
        }
        called = getattr(self.filter, hook)
        asked = inspect.signature(called).parameters
        return await called(body=body, **{name: value for name, value in offered.items() if name in asked})

    @staticmethod
    def _message(role: str, content: Any) -> dict[str, Any]:
        return {"id": str(uuid4()), "role": role, "content": content, "info": None, "timestamp": 1800000000}
