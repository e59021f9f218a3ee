"""A tag is released if it names this version and the changelog has a section of it, which is then the notes."""

import pytest
from tests.release_notes import NoReleaseError, release_notes

CHANGELOG = """# Changelog

## Unreleased

## [0.2.0] - 2027-01-30

### Added

- A thing.

## 0.1.0 - 2026-12-01

- The first one.
"""


@pytest.mark.parametrize(
    ("version", "notes"), [("0.2.0", "### Added\n\n- A thing."), ("0.1.0", "- The first one.")]
)
def test_the_notes_are_the_section_of_the_version(version: str, notes: str) -> None:
    assert release_notes(f"v{version}", version, CHANGELOG) == notes


@pytest.mark.parametrize(
    ("tag", "version", "changelog"),
    [
        ("v0.2.0", "0.1.0", CHANGELOG),
        ("0.1.0", "0.1.0", CHANGELOG),
        ("v0.1", "0.1", CHANGELOG),
        ("v0.3.0", "0.3.0", CHANGELOG),
        ("v0.1.0", "0.1.0", "## 0.1.0\n\n- No date.\n"),
        ("v0.1.0", "0.1.0", "## 0.1.0 - 2026-12-01\n\n## 0.0.9 - 2026-11-01\n\n- Older.\n"),
    ],
    ids=["another's", "no v", "a part of it", "no section", "no date", "nothing in it"],
)
def test_another_tag_is_no_release(tag: str, version: str, changelog: str) -> None:
    with pytest.raises(NoReleaseError):
        release_notes(tag, version, changelog)
