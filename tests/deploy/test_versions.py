"""A version stands in `pyproject.toml` alone, and ours fits the weights of this state of the code."""

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
