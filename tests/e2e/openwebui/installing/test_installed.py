"""The filter's package stands in Open WebUI's own environment, and moved nothing there."""

import json
import re
import subprocess

import pytest
from tests.e2e.openwebui.hosts import FILTER
from tests.e2e.openwebui.server import ENVIRONMENT
from tests.openwebui_filter.openwebui import frontmatter

_TOLD = """
import json
from importlib import metadata

print(json.dumps({
    "asked": metadata.requires("open-webui"),
    "there": {each.name: each.version for each in metadata.distributions()},
}))
"""
_PIN = re.compile(r"^([A-Za-z0-9._-]+)(?:\[[^]]*\])?==([^;\s]+)\s*(?:;(.*))?$")


def normalized(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def test_each_package_is_there_in_the_version_that_open_webui_pins() -> None:
    python = ENVIRONMENT / "bin" / "python"
    if not python.exists():
        pytest.skip("Open WebUI is not installed: `make e2e-openwebui` does it")
    printed = subprocess.run([python, "-c", _TOLD], capture_output=True, check=True).stdout
    told = json.loads(printed)
    there = {normalized(name): version for name, version in told["there"].items()}
    pins = {
        normalized(found[1]): found[2]
        for found in map(_PIN.match, told["asked"])
        if found and not (found[3] and "extra" in found[3])
    }

    assert len(pins) > 50
    assert {name: there.get(name) for name in pins} == pins
    assert "requirements" not in frontmatter(FILTER.read_text()), "no public index has the name from us"
    assert "recollect-memory" in there
