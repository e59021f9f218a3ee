"""Reads a migration statement by statement, and tells what of it an older replica would trip over. Never: a test."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from recollect.store.sql import Migration

_TOKEN = re.compile(
    r"--[^\n]*|/\*.*?\*/|\$(?P<tag>\w*)\$(?P<body>.*?)\$(?P=tag)\$|'(?:[^']|'')*'|\"[^\"]+\"|[\w.]+|[^\s\w]",
    re.DOTALL,
)

_HARMLESS = frozenset(
    {"comment", "copy", "delete", "execute", "grant", "insert", "perform", "select", "set", "update", "with"}
)
"""What begins a statement that leaves the tables' shape as it is."""

_HARMLESS_TO_CREATE = frozenset({"extension", "index", "schema", "sequence", "statistics", "table", "type"})
_OPTIONAL = frozenset({"if", "exists", "not", "only", "concurrently"})
_BLOCK = frozenset({"begin", "then", "else", "loop"})
"""After each of these words of PL/pgSQL a statement begins."""

_CHANGES = frozenset({"alter", "create", "drop", "lock", "revoke", "truncate", "execute", "refresh"})
"""What is looked at within a DO block; the rest of it is data and control."""


@dataclass
class _Reader:
    """What is known while a migration is read: the functions that were there, and what it made itself, which no older replica knows."""

    functions: frozenset[str] = frozenset()
    made: set[str] = field(default_factory=set)

    def statement(self, words: Sequence[str]) -> Iterator[str]:
        """Yield the keys of what a statement takes away, as `drop column`."""
        first = words[0]
        if first == "create":
            yield from self._create(words)
        elif first == "alter" and words[1:2] == ["table"]:
            yield from self._alter_table(words[2:])
        elif first == "do":
            yield from self._block(next(word for word in words if word.startswith("$")))
        elif first == "execute":
            for literal in (word for word in words if word.startswith("'")):
                yield from self._text(literal[1:-1].replace("''", "'"), only=_CHANGES)
        elif first not in _HARMLESS:
            yield " ".join(words[:2])

    def _create(self, words: Sequence[str]) -> Iterator[str]:
        rest = [word for word in words[1:] if word not in _OPTIONAL]
        replaces = rest[:2] == ["or", "replace"]
        rest = rest[2:] if replaces else rest
        kind, name = rest[0], _bare(rest[1])
        if kind == "unique" or kind in {"policy", "trigger"}:
            on = _bare(rest[rest.index("on") + 1])
            if on not in self.made and (kind != "policy" or "restrictive" in rest):
                yield f"create {kind}"
        elif kind == "function":
            if name in self.functions and name not in self.made:
                yield "create function"
        elif replaces or kind not in _HARMLESS_TO_CREATE | {"view"}:
            yield f"create {kind}"
        if kind in {"table", "function", "view"}:
            self.made.add(name)

    def _alter_table(self, words: Sequence[str]) -> Iterator[str]:
        words = _without_optional(words)
        name = _bare(words[0])
        if name in self.made:
            return
        for action in _apart(words[1:]):
            if key := _taken_by(action):
                yield key
            if action[:2] == ["rename", "to"]:
                self.made.add(_bare(action[2]))

    def _block(self, quoted: str) -> Iterator[str]:
        yield from self._text(quoted.strip("$"), only=_CHANGES)

    def _text(self, text: str, *, only: frozenset[str] | None = None) -> Iterator[str]:
        for words in _statements(text):
            inner = _after_block_words(words) if only is not None else words
            if inner and (only is None or inner[0] in only):
                yield from self.statement(inner)


def _taken_by(action: Sequence[str]) -> str | None:
    """Return the key of an action of ALTER TABLE; None where older replicas go on as before."""
    first, second = action[0], action[1] if len(action) > 1 else ""
    if first == "add" and second not in {"constraint", "primary", "unique", "check", "foreign", "exclude"}:
        return _taken_by_column(action)
    if first == "alter":
        words = [word for word in action[1:] if word != "column"][1:]
        if words[:2] in (["set", "default"], ["set", "statistics"], ["set", "storage"]):
            return None
        return "alter type" if "type" in words[:3] else " ".join(words[:2])
    if first == "drop" and second not in {"constraint", "column"}:
        return "drop column"
    if first in {"attach", "validate", "cluster"} or (first == "set" and second == "("):
        return None
    return f"{first} {second}"


def _taken_by_column(action: Sequence[str]) -> str | None:
    """Return what of a new column an older replica trips over: that it has to give it a value, or a certain one."""
    has_value = "default" in action or "generated" in action
    if {"unique", "check", "references", "primary"} & set(action):
        return "add constraint"
    is_required = "not null" in " ".join(action)
    return "add required" if is_required and not has_value else None


def _without_optional(words: Sequence[str]) -> list[str]:
    """Return an ALTER TABLE's words without IF EXISTS and ONLY before the name."""
    rest = list(words)
    while rest[0] in _OPTIONAL:
        rest.pop(0)
    return rest


def _apart(words: Sequence[str]) -> list[list[str]]:
    """Return the actions of an ALTER TABLE: they stand between commas that are within no brackets."""
    actions: list[list[str]] = [[]]
    depth = 0
    for word in words:
        depth += (word == "(") - (word == ")")
        if word == "," and not depth:
            actions.append([])
        else:
            actions[-1].append(word)
    return actions


def _after_block_words(words: Sequence[str]) -> Sequence[str]:
    """Return what stands after the last word that begins a block, in PL/pgSQL."""
    begins = [number + 1 for number, word in enumerate(words) if word in _BLOCK]
    return words[begins[-1] :] if begins else words


def _bare(name: str) -> str:
    return name.removeprefix("recollect.").strip('"')


def _statements(text: str) -> Iterator[list[str]]:
    """Yield each statement as its words, in lower case but for what is quoted; comments are left out."""
    words: list[str] = []
    for found in _TOKEN.finditer(text):
        token = found[0]
        if token.startswith(("--", "/*")):
            continue
        if token == ";":
            if words:
                yield words
            words = []
        else:
            words.append(token if token[0] in "$'\"" else token.lower())
    if words:
        yield words


def functions_of(migrations: Sequence[Migration]) -> frozenset[str]:
    """Return the names of the functions that migrations make."""
    reader = _Reader()
    for migration in migrations:
        for words in _statements(migration.text):
            rest = [word for word in words if word not in {"or", "replace"}]
            if rest[:2] == ["create", "function"]:
                reader.made.add(_bare(rest[2]))
    return frozenset(reader.made)


def taken_away(migration: Migration, functions: frozenset[str] = frozenset()) -> list[str]:
    """Return the keys of all statements of a migration over which a replica that knows nothing of it may trip.

    What it does to tables that it makes itself is none of these. What is not known to be harmless is one. ``functions`` were there before.
    """
    reader = _Reader(functions)
    return [key for words in _statements(migration.text) for key in reader.statement(words)]


def indexed_under_lock(migration: Migration) -> list[str]:
    """Return the older tables of which a migration builds an index while the change of another one keeps that locked."""
    made, changed, found = set[str](), set[str](), list[str]()
    for statement in _statements(migration.text):
        words = [word for word in statement if word not in _OPTIONAL]
        if words[:2] == ["create", "table"]:
            made.add(_bare(words[2]))
        elif words[:2] == ["alter", "table"]:
            changed.add(_bare(words[2]))
        elif words[0] == "create" and "index" in words[1:3]:
            on = _bare(words[words.index("on") + 1])
            found += [on] if on not in made and changed - made - {on} else []
    return found
