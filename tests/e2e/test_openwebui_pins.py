"""Resolves Open WebUI's requirements with and without ours: installing the filter's package moves nothing."""

import subprocess
import sys
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parents[2]
UV = Path(sys.executable).parent / "uv"
OPEN_WEBUI = "open-webui==0.12.4"


@pytest.fixture(scope="module")
def our_requirements(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    folder = tmp_path_factory.mktemp("wheels")
    build = ["wheel", "--quiet", "--no-deps", "--no-build-isolation", "--wheel-dir", str(folder)]
    ours = [str(REPOSITORY), str(REPOSITORY / "weights")]
    subprocess.run([sys.executable, "-m", "pip", *build, *ours], check=True)
    return [f"{wheel.name.split('-')[0]} @ {wheel.as_uri()}" for wheel in folder.glob("*.whl")]


def resolve(requirements: list[str], python: str) -> dict[str, str]:
    """Return the version of every package that the requirements lead to."""
    compiled = subprocess.run(
        [
            *(UV, "pip", "compile", "-", "--quiet", "--no-header", "--no-annotate"),
            *("--python-version", python, "--python-platform", "linux"),
        ],
        input="\n".join(requirements),
        capture_output=True,
        text=True,
        check=False,
    )
    assert compiled.returncode == 0, compiled.stderr
    pins = [line.split(" ; ")[0].partition("==") for line in compiled.stdout.splitlines()]
    return {name: version for name, _, version in pins}


@pytest.mark.parametrize("python", ["3.11", "3.12"])
def test_installing_our_package_moves_none_of_open_webuis(our_requirements: list[str], python: str) -> None:
    alone = resolve([OPEN_WEBUI], python)
    together = resolve([OPEN_WEBUI, *our_requirements], python)

    assert len(alone) > 100
    assert {name: together.get(name) for name in alone} == alone
