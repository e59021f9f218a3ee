"""The design as rules that a machine can check: how large, how deep, which words, where SQL stands, what never waits.

``lint-imports`` checks the imports between packages, by the contracts in ``pyproject.toml``.
"""

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TypeAlias

ROOTS = ("src", "proxy", "openwebui_filter", "weights")
PROGRAMS = ("bench", "examples")
"""Packages of the repository's root, which are not shipped, and may ask a database what the engine never does."""
PURE = (
    *(
        "recollect.audit_rows",
        "recollect.wire",
        "recollect.chunking",
        "recollect.composition",
        "recollect.errors",
    ),
    *("recollect.formation", "recollect.model", "recollect.request_composition", "recollect.text"),
    *("recollect.engine.counters", "recollect.engine.turns.explain", "recollect.engine.policy"),
    *("recollect.engine.turns.prompt_content", "recollect_openwebui.notices"),
    "recollect_proxy.web.headers",
)
"""Modules which, with all below them, never wait for anything."""
ASKING = {
    f"recollect.formation.{part}" for part in ("forget_targets", "pipeline", "breaker_and_budget", "learner")
}
"""What puts the stages of formation together, and asks store and models."""
LONGEST_FILE = 450
LONGEST_FUNCTION = 40
LONGEST_OF = {"recollect_proxy.chat.application": 100, "recollect_filter": 190, "recollect_undo": 130}
DEEPEST_FOLDER = 3
BANNED_WORDS = {
    *("manager", "helper", "helpers", "util", "utils", "service", "services", "handler", "handlers"),
    *("cfg", "conf", "ctx", "impl", "mgr", "msg", "msgs", "processor", "req", "resp", "svc", "tmp"),
}
BANNED_VERBS = {"process", "handle", "do"}
MOST_OF_A_NAME = 9
"""Functions and methods that may have the same name: one that names ten says too little of each."""
NAMES_OF_PROTOCOLS = {"aclose": "contextlib.aclosing"}
"""Names that a library calls, and may stand any number of times; double underscores aside."""

Function: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef
Definition: TypeAlias = Function | ast.ClassDef

_SQL = re.compile(
    r"\bSELECT\b.+\bFROM\b|\bINSERT\s+INTO\b|\bDELETE\s+FROM\b|\bUPDATE\s+\S+\s+SET\b"
    r"|\A\s*(?i:(?:create|alter|drop|truncate|lock|vacuum)\s+\w+\s+\w|with\s.+\sas\s*\(|select\s.+\sfrom\s)"
    r"|\A\s*(?:SELECT|LISTEN|NOTIFY|SET)\s+\S",
    re.DOTALL,
)


@dataclass(frozen=True)
class Module:
    """A file of ours, parsed when it is first asked."""

    name: str
    path: str
    text: str

    @cached_property
    def tree(self) -> ast.Module:
        """The meaning of the text."""
        return ast.parse(self.text)

    @cached_property
    def nodes(self) -> Sequence[ast.AST]:
        """All there is in the tree."""
        return list(ast.walk(self.tree))


def violations(root: Path, known: Sequence[Module]) -> list[str]:
    """Return what breaks the design in the tree below ``root``, whose modules are ``known``, each as `path:line: what`."""
    return (
        [f"{module.path}:{line}: {what}" for module in known for line, what in sorted(_violations_of(module))]
        + [
            f"{len(places)} functions are named {name}, {MOST_OF_A_NAME} at most: {', '.join(places)}"
            for name, places in functions_by_name(known).items()
            if len(places) > MOST_OF_A_NAME and name not in NAMES_OF_PROTOCOLS
        ]
        + [
            f"{folder.relative_to(root)}: a folder stands {DEEPEST_FOLDER} deep at most"
            for source_root in (*ROOTS, *PROGRAMS, "tests")
            for folder in sorted((root / source_root).rglob("*/"))
            if len(folder.relative_to(root / source_root).parts) > DEEPEST_FOLDER and any(folder.glob("*.py"))
        ]
    )


def modules(root: Path) -> list[Module]:
    return [
        _read(root, root / source_root, path)
        for source_root, below in [*((each, each) for each in ROOTS), *(("", each) for each in PROGRAMS)]
        for path in sorted((root / below).rglob("*.py"))
    ]


def functions_by_name(known: Sequence[Module]) -> dict[str, list[str]]:
    """Return where each name of a function or method is defined in what is shipped."""
    found: dict[str, list[str]] = {}
    for module in known:
        for node in _definitions(module):
            is_ours = not (node.name.startswith("__") and node.name.endswith("__"))
            if isinstance(node, Function) and is_ours and module.name.partition(".")[0] not in PROGRAMS:
                found.setdefault(node.name, []).append(f"{module.path}:{node.lineno}")
    return found


def _read(root: Path, source_root: Path, path: Path) -> Module:
    name = ".".join(path.relative_to(source_root).with_suffix("").parts).removesuffix(".__init__")
    text = path.read_text("utf-8")
    return Module(name, str(path.relative_to(root)), text)


def _violations_of(module: Module) -> set[tuple[int, str]]:
    return {
        *_waiting_violations(module),
        *_size_violations(module),
        *_word_violations(module),
        *(_sql_violations(module) if module.name.partition(".")[0] not in PROGRAMS else ()),
    }


def _waiting_violations(module: Module) -> Iterator[tuple[int, str]]:
    if module.name in ASKING or not any(f"{module.name}.".startswith(f"{pure}.") for pure in PURE):
        return
    for node in module.nodes:
        if isinstance(node, ast.AsyncFunctionDef | ast.Await | ast.AsyncFor | ast.AsyncWith):
            yield node.lineno, f"{module.name} is pure and must not await"


def _size_violations(module: Module) -> Iterator[tuple[int, str]]:
    length = len(module.text.splitlines())
    limit = LONGEST_OF.get(module.name, LONGEST_FILE)
    if length > limit:
        yield limit + 1, f"the file has {length} lines, {limit} at most"
    for node in _definitions(module):
        if isinstance(node, Function) and (length := _length(node, module)) > LONGEST_FUNCTION:
            yield node.lineno, f"{node.name} has {length} lines, {LONGEST_FUNCTION} at most"


def _length(function: Function, module: Module) -> int:
    """Return the lines from `def` to the end; docstring and lines of comments are not counted."""
    all_of_it = module.text.splitlines()[function.lineno - 1 : function.end_lineno]
    lines = sum(not line.lstrip().startswith("#") for line in all_of_it)
    if ast.get_docstring(function, clean=False) is not None:
        docstring = function.body[0]
        lines -= (docstring.end_lineno or 0) - docstring.lineno + 1
    return lines


def _word_violations(module: Module) -> Iterator[tuple[int, str]]:
    for word in BANNED_WORDS.intersection(_words(module.name.rpartition(".")[2])):
        yield 1, f"the module's name has the banned word {word}"
    for node in _definitions(module):
        words = _words(node.name)
        for word in BANNED_WORDS.intersection(words):
            yield node.lineno, f"{node.name} has the banned word {word}"
        if isinstance(node, Function) and len(words) > 1 and words[0] in BANNED_VERBS:
            yield node.lineno, f"{node.name} begins with the banned verb {words[0]}"


def _words(name: str) -> Sequence[str]:
    return [word.lower() for word in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+", name)]


def _sql_violations(module: Module) -> Iterator[tuple[int, str]]:
    docstrings = {id(node.value) for node in module.nodes if isinstance(node, ast.Expr)}
    for node in module.nodes:
        if (
            isinstance(node, ast.Constant | ast.JoinedStr)
            and id(node) not in docstrings
            and _SQL.search(_text(node))
        ):
            yield node.lineno, "SQL stands in .sql files"


def _text(node: ast.Constant | ast.JoinedStr) -> str:
    if isinstance(node, ast.JoinedStr):
        return "".join(_text(part) if isinstance(part, ast.Constant) else "x" for part in node.values)
    return node.value if isinstance(node.value, str) else ""


def _definitions(module: Module) -> Iterator[Definition]:
    for node in module.nodes:
        if isinstance(node, Definition):
            yield node
