"""Nothing of what is embedded leaves the machine."""

import os
import subprocess
import sys
from pathlib import Path

import pytest


@pytest.mark.process
def test_the_runtime_is_imported_with_its_telemetry_off(tmp_path: Path) -> None:
    environment = {name: value for name, value in os.environ.items() if name != "ORT_DISABLE_TELEMETRY"}

    subprocess.run(
        [sys.executable, "-c", "import recollect.models.embedders.multilingual_e5"],
        env={**environment, "TMPDIR": str(tmp_path)},
        check=True,
    )

    assert list(tmp_path.iterdir()) == [], "the runtime keeps a session's id there when it collects"
