"""The design as rules that a machine can check: who may import whom, how large, which words.

Never: what a module does.
"""

import ast
import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TypeAlias

ROOTS = ("src", "proxy", "openwebui_filter")
PROGRAMS = ("bench", "examples")
"""Packages of the repository's root, which are not shipped, and may ask a database what the engine never does."""
OURS = (
    *PROGRAMS,
    "recollect",
    "recollect_proxy",
    "recollect_filter",
    "recollect_off",
    "recollect_undo",
    "recollect_events",
)
LONGEST_FILE = 450
LONGEST_FUNCTION = 40
LONGEST_OF = {"recollect_proxy.conversation": 100, "recollect_filter": 180, "recollect_undo": 80}
BANNED_WORDS = {
    *(
        "manager",
        "helper",
        "helpers",
        "util",
        "utils",
        "service",
        "services",
        "handler",
        "handlers",
        "processor",
    ),
    *("cfg", "conf", "ctx", "impl", "mgr", "msg", "msgs", "req", "resp", "svc", "tmp"),
}
BANNED_VERBS = {"process", "handle", "do"}

Function: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef
Definition: TypeAlias = Function | ast.ClassDef

_SQL = re.compile(
    r"\bSELECT\b.+\bFROM\b|\bINSERT\s+INTO\b|\bDELETE\s+FROM\b|\bUPDATE\s+\S+\s+SET\b"
    r"|\A\s*(?i:(?:create|alter|drop|truncate|lock|vacuum)\s+\w+\s+\w|with\s.+\sas\s*\(|select\s.+\sfrom\s)"
    r"|\A\s*(?:SELECT|LISTEN|NOTIFY|SET)\s+\S",
    re.DOTALL,
)


@dataclass(frozen=True)
class Rule:
    """What the module ``module``, and all below it, may import.

    Attributes:
        ours: Prefixes of our own modules, parted by spaces; what is below ``module`` always.
        libraries: Third-party packages, parted by spaces; the standard library always.
        pure: Whether it must never await.
    """

    module: str
    ours: str = ""
    libraries: str = ""
    pure: bool = False


@dataclass(frozen=True)
class Module:
    """A file of ours, parsed."""

    name: str
    path: str
    text: str
    tree: ast.Module

    @cached_property
    def nodes(self) -> Sequence[ast.AST]:
        """All there is in the tree."""
        return list(ast.walk(self.tree))

    @property
    def package(self) -> str:
        """The package that relative imports start from."""
        return self.name if self.path.endswith("__init__.py") else self.name.rpartition(".")[0]


def violations(root: Path, rules: Sequence[Rule]) -> list[str]:
    """Return what breaks the design in the tree below ``root``, each as `path:line: what`."""
    return [
        f"{module.path}:{line}: {what}"
        for module in modules(root)
        for line, what in sorted(_violations_of(module, rules))
    ]


def modules(root: Path) -> list[Module]:
    """Return the modules of all source roots and programs below ``root``, in order of their paths."""
    return [
        _read(root, root / source_root, path)
        for source_root, below in [*((each, each) for each in ROOTS), *(("", each) for each in PROGRAMS)]
        for path in sorted((root / below).rglob("*.py"))
    ]


def _read(root: Path, source_root: Path, path: Path) -> Module:
    name = ".".join(path.relative_to(source_root).with_suffix("").parts).removesuffix(".__init__")
    text = path.read_text("utf-8")
    return Module(name, str(path.relative_to(root)), text, ast.parse(text))


def _violations_of(module: Module, rules: Sequence[Rule]) -> set[tuple[int, str]]:
    rule = _rule_of(module.name, rules)
    return {
        *(_import_violations(module, rule) if rule else [(1, f"no rule says what {module.name} may import")]),
        *_size_violations(module),
        *_word_violations(module),
        *(_sql_violations(module) if module.name.partition(".")[0] not in PROGRAMS else ()),
    }


def _rule_of(module: str, rules: Sequence[Rule]) -> Rule | None:
    """Return the rule of the longest prefix; that of a source root's package is not its modules'."""
    found = [rule for rule in rules if rule.module == module or _strictly_below(module, rule.module)]
    return max(found, key=lambda rule: len(rule.module), default=None)


def _strictly_below(module: str, prefix: str) -> bool:
    return prefix not in OURS and module.startswith(f"{prefix}.")


def _import_violations(module: Module, rule: Rule) -> Iterator[tuple[int, str]]:
    for line, imported in imports(module):
        top = imported.partition(".")[0]
        if top in OURS:
            if not any(_below(imported, prefix) for prefix in [rule.module, *rule.ours.split()]):
                yield line, f"{rule.module} must not import {imported}"
        elif top not in sys.stdlib_module_names and top not in rule.libraries.split():
            yield line, f"{rule.module} must not import the library {top}"
    if rule.pure:
        for node in module.nodes:
            if isinstance(node, ast.AsyncFunctionDef | ast.Await | ast.AsyncFor | ast.AsyncWith):
                yield node.lineno, f"{rule.module} is pure and must not await"


def imports(module: Module) -> Iterator[tuple[int, str]]:
    """Yield line and name of everything imported, wherever in the module, also by `import_module("...")`."""
    for node in module.nodes:
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = _absolute(module, node)
            yield from ((node.lineno, f"{base}.{alias.name}") for alias in node.names)
        elif isinstance(node, ast.Call) and _name_of(node.func) in {"import_module", "__import__"}:
            for argument in node.args[:1]:
                if isinstance(argument, ast.Constant):
                    yield node.lineno, str(argument.value)


def _absolute(module: Module, node: ast.ImportFrom) -> str:
    if node.level == 0:
        return node.module or ""
    parts = module.package.split(".")
    base = parts[: len(parts) - node.level + 1]
    return ".".join([*base, *([node.module] if node.module else [])])


def _size_violations(module: Module) -> Iterator[tuple[int, str]]:
    length = len(module.text.splitlines())
    limit = LONGEST_OF.get(module.name, LONGEST_FILE)
    if length > limit:
        yield limit + 1, f"the file has {length} lines, {limit} at most"
    for node in _definitions(module):
        if isinstance(node, Function) and (length := _length(node)) > LONGEST_FUNCTION:
            yield node.lineno, f"{node.name} has {length} lines, {LONGEST_FUNCTION} at most"


def _length(function: Function) -> int:
    """Return the lines from `def` to the end, docstring not counted."""
    lines = (function.end_lineno or 0) - function.lineno + 1
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


def _below(name: str, prefix: str) -> bool:
    return name == prefix or name.startswith(f"{prefix}.")


def _name_of(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""
