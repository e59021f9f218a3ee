"""An environment with Open WebUI in it and nothing of ours, which costs no second installation.

Over the one that Open WebUI is installed into lies another, empty one: what pip installs goes there, and what
is below, it can neither remove nor replace.
"""

import json
import re
import subprocess
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

from tests.e2e.openwebui.server import ENVIRONMENT

OURS = ("recollect-memory", "recollect-memory-weights")

_SITE = "import json, sysconfig; print(json.dumps(sysconfig.get_path('purelib')))"
_VERSIONS = """
import json
from importlib import metadata

print(json.dumps([(each.name, each.version) for each in metadata.distributions()][::-1]))
"""


@dataclass(frozen=True)
class Environment:
    """Where Open WebUI and its functions are imported from."""

    folder: Path

    def pip(self, *arguments: str) -> None:
        """Have its pip do something, offline."""
        _run(self.folder, "-m", "pip", *arguments, "--quiet", "--disable-pip-version-check")

    def versions(self) -> dict[str, str]:
        """Return the version of each package that is imported in it, by its normalized name."""
        return {normalized(name): version for name, version in json.loads(_run(self.folder, "-c", _VERSIONS))}

    def has(self, package: str) -> bool:
        """Whether a package is installed in it itself, not below."""
        return (Path(json.loads(_run(self.folder, "-c", _SITE))) / package).is_dir()


def layered_environment(folder: Path) -> Environment:
    """Make an environment over that of Open WebUI, in an empty folder."""
    below, layer = Path(json.loads(_run(ENVIRONMENT, "-c", _SITE))), folder / "below"
    layer.mkdir()
    left_out = {path.parts[0] for name in OURS for each in _found(below, name) for path in each.files or ()}
    for entry in below.iterdir():
        if entry.name not in left_out:
            (layer / entry.name).symlink_to(entry)
    environment = Environment(folder / "environment")
    _run(ENVIRONMENT, "-m", "venv", str(environment.folder))
    site = Path(json.loads(_run(environment.folder, "-c", _SITE)))
    (site / "below.pth").write_text(f"import site; site.addsitedir({str(layer)!r})\n")
    program = environment.folder / "bin" / "open-webui"
    program.write_text(f"#!{environment.folder}/bin/python\nfrom open_webui import app\n\napp()\n")
    program.chmod(0o755)
    return environment


def normalized(name: str) -> str:
    """Return the one spelling of a package's name."""
    return re.sub(r"[-_.]+", "-", name).lower()


def _found(site: Path, name: str) -> list[metadata.Distribution]:
    return [
        each for each in metadata.distributions(path=[str(site)]) if normalized(each.name) == normalized(name)
    ]


def _run(environment: Path, *arguments: str) -> str:
    python = environment / "bin" / "python"
    return subprocess.run([python, *arguments], capture_output=True, check=True, text=True).stdout
