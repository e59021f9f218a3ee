"""The two ways through the code that the architecture lists, step by step, are what really runs, and in that order."""

import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import CodeType, FrameType

import pytest
from tests.recollect_proxy.given import given_memory
from tests.recollect_proxy.own_proxies import OwnProxies
from tests.servers.running_proxy import somebody
from tests.support.waiting import until

ROOT = Path(__file__).parents[3]
TITLES = "A chat request", "A remembered exchange"

OURS = tuple(str(ROOT / each) for each in ("src", "proxy"))


class Ran:
    """What of our code ran for a user on the loop's thread, in the order in which it was first called.

    The session's proxy may still be busy with other tests' users in this process. A function is theirs if one of its
    callers names another user.
    """

    def __init__(self, user_id: str) -> None:
        self._user_id = user_id
        self._codes: dict[CodeType, None] = {}

    def __call__(self, frame: FrameType, event: str, _: object) -> None:
        if event != "call" or not frame.f_code.co_filename.startswith(OURS):
            return
        if frame.f_code not in self._codes and not self._is_of_others(frame):
            self._codes[frame.f_code] = None

    def _is_of_others(self, frame: FrameType | None) -> bool:
        while frame is not None:
            if frame.f_locals.get("user_id", self._user_id) != self._user_id:
                return True
            frame = frame.f_back
        return False

    @property
    def functions(self) -> list[tuple[str, str]]:
        """The file and the qualified name of each."""
        return [(code.co_filename, code.co_qualname) for code in list(self._codes)]


@contextmanager
def recorded(user_id: str) -> Iterator[Ran]:
    """Record what is called for a user during the body."""
    ran, before = Ran(user_id), sys.getprofile()
    sys.setprofile(ran)
    try:
        yield ran
    finally:
        sys.setprofile(before)


def steps(title: str) -> list[list[str]]:
    """Return the names of code in each step of one of the lists; a path of a URL is none."""
    document = (ROOT / "docs" / "explanation" / "architecture.md").read_text("utf-8")
    listed = document.split(f"## {title}\n\n", 1)[1].split("\n\n", 1)[0]
    parts = re.split(r"^[0-9]+\. ", listed, flags=re.MULTILINE)[1:]
    return [[name for name in re.findall(r"`([\w./]+)`", part) if not name.startswith("/")] for part in parts]


def is_place(name: str) -> bool:
    """Tell whether it is a file or a folder, which is in use before and after a step too."""
    return "/" in name or name.endswith(".py")


def first_call(name: str, functions: list[tuple[str, str]]) -> int | None:
    owner, _, last = name.rpartition(".")
    for number, (file, function) in enumerate(functions):
        if is_place(name):
            found = f"/{name}" in file
        elif owner and owner[0].isupper():
            found = function == name
        elif owner:
            found = function == last and (f"/{owner}.py" in file or f"/{owner}/" in file)
        else:
            found = function.startswith(f"{name}.")
        if found:
            return number
    return None


def missing(names: list[str], functions: list[tuple[str, str]]) -> list[str]:
    """Return of which of these nothing was called."""
    return [name for name in names if first_call(name, functions) is None]


@pytest.fixture(scope="module")
async def functions(own_proxies: OwnProxies) -> list[tuple[str, str]]:
    """What runs while a person who has a memory says something, and until it is formed."""
    listed = [name for title in TITLES for step in steps(title) for name in step]
    person = somebody()
    async with own_proxies.serve(standing_tokens=120) as proxy:
        await given_memory(proxy, person, "I am allergic to hazelnuts.", use="always")
        await proxy.all_formed()  # of earlier tests: a job of theirs would be recorded, too
        with recorded(person.known_as) as ran:
            answer = await proxy.say(person, "I drive a green Volvo.")
            await proxy.formed(person)
            with suppress(TimeoutError):  # the test says what did not run
                await until(lambda: not missing(listed, ran.functions), seconds=20)
    assert answer.status == 200
    return ran.functions


@pytest.mark.parametrize("title", TITLES)
async def test_what_the_architecture_lists_is_what_runs_in_that_order(
    title: str, functions: list[tuple[str, str]]
) -> None:
    listed = steps(title)
    names = [name for step in listed for name in step]

    calls = {name: first_call(name, functions) for name in names}

    assert 0 < len(listed) <= 12
    assert [step for step in listed if not any("." in name for name in step)] == []
    assert missing(names, functions) == []
    called = list(dict.fromkeys(name for name in names if not is_place(name)))
    assert sorted(called, key=lambda name: calls[name] or 0) == called
