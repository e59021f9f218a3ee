"""The events of the log, as the code writes them."""

import ast
from collections.abc import Iterator
from pathlib import Path

ROOTS = ("src", "proxy", "openwebui_filter")
LEVELS = {"debug", "info", "warning", "error"}
PASSING = {"_quietly": "warning", "_if_it_can": "warning", "tell": "warning", "_logging_failures": "warning"}
"""Functions of ours that log an event they are given, with its level."""


def logged_events(root: Path) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for source_root in ROOTS:
        for path in sorted((root / source_root).rglob("*.py")):
            for event, level in _events_in(ast.parse(path.read_text("utf-8"))):
                found.setdefault(event, set()).add(level)
    return found


def _events_in(tree: ast.Module) -> Iterator[tuple[str, str]]:
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        name = getattr(node.func, "attr", getattr(node.func, "id", ""))
        texts = [each.value for each in node.args if isinstance(each, ast.Constant)]
        events = [each for each in texts if isinstance(each, str) and each.replace("_", "").isalpha()]
        if name in LEVELS and isinstance(node.func, ast.Attribute) and ast.unparse(node.func.value) in _LOGS:
            level = name
        elif name in PASSING:
            level = PASSING[name]
        elif name == "say":  # chosen by what it says
            yield from ((event, level) for event in events for level in _chosen(tree))
            continue
        elif given := [each.value for each in node.keywords if each.arg == "event"]:
            events = [str(each.value) for each in given if isinstance(each, ast.Constant)]
            level = "error"
        else:
            continue
        yield from ((event, level) for event in events if event.islower())


_LOGS = {"log", "_log"}


def _chosen(tree: ast.Module) -> set[str]:
    """Return the levels between which a module chooses by an assignment to ``say``."""
    chosen = [
        each.value
        for each in ast.walk(tree)
        if isinstance(each, ast.Assign) and "say" in ast.unparse(each.targets[0])
    ]
    return {
        each.attr for value in chosen for each in ast.walk(value) if isinstance(each, ast.Attribute)
    } & LEVELS
