"""No page tells people to install a name from a public index that is not ours there: decision 0003."""

import re
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parents[2]
OURS = ("recollect-memory", "recollect")
PLACES = (
    "README.md",
    "SECURITY.md",
    "docs",
    "deploy",
    "examples",
    "openwebui_filter",
    "proxy",
    "src",
    ".github/CONTRIBUTING.md",
)
KNOWN = {"openwebui_filter/README.md": ["recollect-memory==0.1.0"]}
"""In a row about an index of one's own."""

_INSTALLS = re.compile(
    r"(?:pip install|pipx install|uv tool install|uvx|uv add)[^\n`]*?\s'?(recollect(?:-memory)?)\b(?![/\\.-])"
)
_REQUIRES = re.compile(r"\brecollect-memory(?:\[\w+\](?! @ )|==[\d.]+\d)")


def texts() -> dict[str, str]:
    files = [
        each
        for place in PLACES
        for each in (
            [REPOSITORY / place] if (REPOSITORY / place).is_file() else (REPOSITORY / place).rglob("*")
        )
        if each.suffix in {".md", ".py", ".yaml", ".html", ""} and each.is_file()
    ]
    return {str(each.relative_to(REPOSITORY)): each.read_text("utf-8") for each in files}


@pytest.mark.parametrize(("hint", "known"), [(_INSTALLS, {}), (_REQUIRES, KNOWN)])
def test_no_page_has_our_name_installed_from_an_index(
    hint: re.Pattern[str], known: dict[str, list[str]]
) -> None:
    assert {name: hint.findall(text) for name, text in texts().items() if hint.search(text)} == known


def test_such_a_hint_is_found() -> None:
    for hint in (
        "pip install recollect-memory",
        "pip install 'recollect-memory[traces]'",
        "uvx recollect serve",
    ):
        assert _INSTALLS.search(f"Run {hint} now"), hint
    for other in (
        "pip install '.[traces]'",
        "pip install './recollect_memory-0.1.0-py3-none-any.whl[traces]'",
    ):
        assert not _INSTALLS.search(other), other
    assert _REQUIRES.search("requirements: recollect-memory==0.1.0")
    assert not _REQUIRES.search("recollect-memory @ file:///path/x.whl")
