"""The wheel holds what is shipped, and nothing that measures, plays or tests it."""

import subprocess
import sys
from pathlib import Path
from zipfile import ZipFile

import pytest

REPOSITORY = Path(__file__).parents[2]


@pytest.mark.process
def test_the_wheel_holds_the_three_packages_and_nothing_else(tmp_path: Path) -> None:
    built = subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", tmp_path],
        cwd=REPOSITORY,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )

    assert built.returncode == 0, built.stderr
    [wheel] = tmp_path.glob("*.whl")
    names = ZipFile(wheel).namelist()
    tops = {name.partition("/")[0] for name in names}
    assert {each for each in tops if not each.endswith(".dist-info")} == {
        "recollect",
        "recollect_proxy",
        "recollect_openwebui",
    }
    assert "recollect/recall/trained/unrelated_questions.txt" in names, "the gate is measured by them"
    of_pages = {name.removeprefix("recollect_proxy/pages/") for name in names}
    assert of_pages >= {"templates/base.html", "static/htmx.js", "static/style.css", "catalogues/zh.json"}
    assert not [name for name in names if "/bench/" in name or "/demo/" in name]
