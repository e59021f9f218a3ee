"""Prints the changelog's section of a release: ``python -m tests.release_notes v0.1.0``. Needs no package, only Python."""

import re
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]


class NoReleaseError(Exception):
    """The tag names no release of this state of the code."""


def release_notes(tag: str, version: str, changelog: str) -> str:
    """Return the section of the version that a tag names.

    Raises:
        NoReleaseError: The tag is another version's, or the changelog has no section of it, or an empty one.
    """
    if tag != f"v{version}":
        raise NoReleaseError(f"The tag {tag} is not v{version}, which pyproject.toml names.")
    for section in re.split(r"^## ", changelog, flags=re.MULTILINE)[1:]:
        title, _, text = section.partition("\n")
        if re.fullmatch(rf"\[?{re.escape(version)}\]? - \d{{4}}-\d\d-\d\d", title) and text.strip():
            return text.strip()
    raise NoReleaseError(f"CHANGELOG.md has no section '## {version} - YYYY-MM-DD' with text.")


def main(tag: str) -> None:
    """Print the section of this tag, or end with why there is none."""
    version = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["version"]
    try:
        sys.stdout.write(release_notes(tag, version, (ROOT / "CHANGELOG.md").read_text("utf-8")) + "\n")
    except NoReleaseError as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main(sys.argv[1])
