"""Counts habits that make an English reader read a sentence twice, in docstrings, comments and pages; fails above a limit.

``python -m tests.prose`` prints the hits per 1,000 words of each root, and the sentences of the roots above their limit. A hit is a
place to look at, not a verdict, so a root may have a few. Lower a limit when its root gets better; never raise one.
"""

import ast
import io
import re
import sys
import tokenize
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
LIMITS = {
    "src": 0.9,
    "proxy": 0.5,
    "openwebui_filter": 0.4,
    "docs": 1.0,
    "README.md": 0.0,
    "CHANGELOG.md": 1.5,
    ".github/decisions": 1.3,
}
"""The most hits per 1,000 words."""

_LONGEST = 40
"""Words of a sentence."""
_HABITS = tuple(
    re.compile(habit, re.IGNORECASE)
    for habit in (
        r"^(what|whoever|who|those|that which|(for |of )?so (many|much|long)\b|of (the|each|its|what|all|one|those|these|a|an)\b)",
        r"\b(is|are|was|were|be) told\b|\btold (of|by|from)\b|\btells? (of|by|whether)\b",
        r"\bwhat (is|was|has|stands|waits|comes|came|it|they|a|the|one|somebody|others?) |\b(by|with|for|from|of|to) what\b",
        r"\b(stands?|stood|lies?|lay) (in|there|on|with|behind|above|below)\b|\bis (let|given|taken|kept) (of|for|by|from|as)\b",
        r"\b(whoever|somebody|nobody|beside|anew|in vain|as a rule|at hand|by itself|all that|of those)\b|\bno more\b(?! than)",
        r"\bwhere (it|they|that|none|one|nobody|somebody)\b|\b(may|can) not be had\b",
    )
)


def texts(path: Path) -> Iterator[str]:
    """Yield the docstrings and comments of a module, or the paragraphs, items and cells of a page."""
    source = path.read_text("utf-8")
    if path.suffix == ".md":
        source = re.sub(r"```.*?```", "", source, flags=re.DOTALL)
        for part in re.split(r"\n\s*\n|\n(?=[-*|#>]|\d+\.)", source):
            yield from part.split("|")
        return
    for node in ast.walk(ast.parse(source)):
        if (
            isinstance(node, ast.Expr)
            and isinstance(node.value, ast.Constant)
            and isinstance(node.value.value, str)
        ):
            yield node.value.value
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            yield token.string.lstrip("# ")


def sentences(text: str) -> Iterator[str]:
    """Yield the sentences of three words and more, with each piece of code as one word."""
    text = re.sub(r"\]\([^)]*\)", "]", re.sub(r"`+[^`]*`+", "NAME", text))
    for part in re.split(r"(?<=[.!?])\s+(?=[A-Z*])|\n\s*\n|\n(?=\s*\w+:\s)", text):
        sentence = re.sub(r"^\w+: ", "", " ".join(part.split()).strip("-*#> "))
        if len(sentence.split()) > 2:
            yield sentence


def hits(sentence: str) -> int:
    """Return how many of the habits a sentence has."""
    return sum(bool(each.search(sentence)) for each in _HABITS) + (len(sentence.split()) > _LONGEST)


def main() -> int:
    """Print the figures; return 1 if a root is above its limit."""
    failed = False
    for name, limit in LIMITS.items():
        root = ROOT / name
        files = [root] if root.is_file() else sorted([*root.rglob("*.py"), *root.rglob("*.md")])
        said = [(file, sentence) for file in files for text in texts(file) for sentence in sentences(text)]
        bad = [(hits(sentence), file, sentence) for file, sentence in said if hits(sentence)]
        rate = 1000 * sum(each[0] for each in bad) / sum(len(sentence.split()) for _, sentence in said)
        print(f"{rate:5.1f} per 1,000 words (at most {limit}): {name}")  # noqa: T201
        if rate > limit:
            failed = True
            print(*(f"{file.relative_to(ROOT)}: {sentence}" for _, file, sentence in bad), sep="\n")  # noqa: T201
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
