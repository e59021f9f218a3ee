"""A process that a test starts has the internals that the test gives it."""

import os
import subprocess
import sys

import pytest
from tests.servers.internals import variables

_PROGRAM = """
from pathlib import Path
from recollect.settings.engine_settings import EngineSettings
from recollect_proxy.settings.proxy_settings import ProxySettings

made = EngineSettings(), ProxySettings(upstream="http://127.0.0.1:9/v1")
print([(each.formation_quiet_seconds, each.formation_batch_turns) for each in made], made[1].recall_in_temporary)
"""


@pytest.mark.process
def test_internals_reach_the_settings_of_the_engine_and_of_the_proxy() -> None:
    given = variables({"formation_quiet_seconds": 0, "formation_batch_turns": 1, "recall_in_temporary": True})

    printed = subprocess.run(
        [sys.executable, "-c", _PROGRAM], env=os.environ | given, capture_output=True, text=True, check=True
    ).stdout

    assert printed.strip() == "[(0.0, 1), (0.0, 1)] True"
