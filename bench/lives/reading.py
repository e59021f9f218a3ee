"""Reads the files of people's lives; joins people, and adds the hints of their statements."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from pathlib import Path
from typing import Any

from bench.files import read_lines
from bench.lives.life import Life, read_life

_TOGETHER = 10
_CROWD = Path(__file__).parents[1] / "training" / "people.jsonl"
_FIRST = datetime(2026, 1, 5, 9, tzinfo=UTC)


def read_lives(
    paths: Sequence[Path], person: str | None = None, *, hints: Sequence[Path] = (), grown: bool = False
) -> list[Life]:
    """Read the people of some files, or one of them."""
    told = [_as_told(each) for each in read_lines(paths) if person in {None, each["person"]}]
    of_statements = {(each["person"], each["id"]): each for each in read_lines(hints)}
    for each in told:
        for memory in _memories(each):
            if hint := of_statements.get((each["person"], memory["id"])):
                memory |= {"use": hint["scope"], "topics": hint["topics"], "questions": hint["asks"]}
    if grown:
        parts = max(1, len(told) // _TOGETHER)  # dealt out, as neighbours in a file often share a language
        told = [_joined(f"grown-{part}", told[part::parts]) for part in range(parts)]
    return [read_life(each) for each in told]


def read_made_up(path: Path) -> list[Life]:
    """Read the made-up people of the trainers, whose statements were all said on one day."""
    found = []
    for told in read_lines([path]):
        memories = [each | {"evidence": each["content"]} for each in told["statements"]]
        chats = [{"chat": "one", "at": "2026-09-01T08:00:00Z", "turns": [{"memories": memories}]}]
        questions = [each | {"at": "2026-11-30T08:00:00Z"} for each in told["questions"]]
        found.append(read_life({**told, "chats": chats, "questions": questions}))
    return found


def _as_told(person: dict[str, Any]) -> dict[str, Any]:
    """Return a person with the statements that a file gives of them, and those of a crowd, as told in chats of their own."""
    crowd = {each["person"]: each["statements"] for each in read_lines([_CROWD])} if "crowd" in person else {}
    others = [
        each | {"id": f"{name}:{each['id']}"} for name in person.get("crowd", ()) for each in crowd[name]
    ]
    left_out = person.get("without", ())
    statements = [*person.get("statements", ()), *(each for each in others if each["id"] not in left_out)]
    statements.sort(key=lambda each: sha256(each["id"].encode()).digest())
    chats = [
        {
            "chat": f"s{number}",
            "at": (_FIRST + number * timedelta(days=1)).isoformat(),
            "turns": [
                {
                    "user": each["content"],
                    "assistant": "I see.",
                    "memories": [each | {"evidence": each["content"]}],
                }
            ],
        }
        for number, each in enumerate(statements)
    ]
    told = sorted((*chats, *person.get("chats", ())), key=lambda chat: datetime.fromisoformat(chat["at"]))
    return {**person, "chats": told}


def _memories(told: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    for chat in told["chats"]:
        for turn in chat["turns"]:
            yield from turn.get("memories", ())


def _joined(name: str, people: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Return one person who has all chats of several, in the order of time, and asks all of their questions."""
    for person in people:
        mark = f"{person['person']}:"
        for chat in person["chats"]:
            chat["chat"] = mark + chat["chat"]
        for memory in _memories(person):
            memory["id"] = mark + memory["id"]
            if about := memory.get("about"):
                memory["about"] = mark + about if isinstance(about, str) else [mark + each for each in about]
        for question in person["questions"]:
            question |= {
                name: [mark + each for each in question.get(name) or ()] for name in ("must", "may", "stale")
            }
    chats = sorted((chat for person in people for chat in person["chats"]), key=lambda chat: str(chat["at"]))
    questions = [question for person in people for question in person["questions"]]
    return {"person": name, "language": "mixed", "chats": chats, "questions": questions}
