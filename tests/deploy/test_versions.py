"""`pyproject.toml` says the version, which deploy/ and the documents name; ours fits the weights of this state of the code."""

import re
import tomllib
from pathlib import Path
from typing import Any

import recollect

REPOSITORY = Path(__file__).parents[2]


def project(folder: str) -> dict[str, Any]:
    read: dict[str, Any] = tomllib.loads((REPOSITORY / folder / "pyproject.toml").read_text("utf-8"))[
        "project"
    ]
    return read


def test_the_package_says_the_version_of_its_project() -> None:
    assert recollect.__version__ == project(".")["version"]


def test_the_weights_that_are_asked_for_are_those_of_this_repository() -> None:
    weights = project("weights")

    assert f"{weights['name']}=={weights['version']}" in project(".")["dependencies"]


def test_the_page_of_pip_names_the_wheels_of_these_versions() -> None:
    page = (REPOSITORY / "docs" / "how-to" / "install-with-pip.md").read_text("utf-8")

    assert set(re.findall(r"recollect_memory\w*-[\d.]+-py3", page)) == {
        f"{each['name'].replace('-', '_')}-{each['version']}-py3"
        for each in (project("."), project("weights"))
    }


def test_image_compose_chart_and_documents_name_the_version_of_the_project() -> None:
    version = project(".")["version"]
    deploy = REPOSITORY / "deploy"
    files = [REPOSITORY / "README.md", *(REPOSITORY / "docs").rglob("*.md"), *deploy.rglob("*")]
    named = {file.relative_to(REPOSITORY).as_posix(): _versions(file) for file in files if file.is_file()}
    needed = ("README.md", "deploy/Dockerfile", "deploy/compose.yaml", "deploy/helm/recollect/Chart.yaml")

    assert {name: found for name, found in named.items() if found - {version}} == {}
    assert [name for name in needed if not named[name]] == []


def _versions(file: Path) -> set[str]:
    """Return the versions of Recollect that a file names: of a banner, a wheel, an image, a label, a chart."""
    names = (
        r"Recollect |recollect_memory-|recollect:|IMAGE:[^}]*\}:|image\.version=\"|^version: |^appVersion: \""
    )
    return set(re.findall(rf"(?:{names})(\d+\.\d+\.\d+)", file.read_text("utf-8"), re.MULTILINE))
