"""Variables for processes with other settings and internals than they ship with."""

import json
import os
from collections.abc import Mapping
from pathlib import Path

from recollect.settings.variables_and_file import PREFIX, is_setting
from recollect_proxy.settings.proxy_settings import ProxySettings

_GIVING = Path(__file__).with_name("given_internals")


def variables(settings: Mapping[str, object]) -> dict[str, str]:
    """Return the variables by which a process of ours has these: settings by their own, internals by ours."""
    fields = ProxySettings.model_fields
    internals = {name: value for name, value in settings.items() if not is_setting(fields[name])}
    own = {f"{PREFIX}{name.upper()}": str(settings[name]) for name in settings if name not in internals}
    if not internals:
        return own
    path = os.pathsep.join(filter(None, (str(_GIVING), os.environ.get("PYTHONPATH"))))
    return own | {"TEST_INTERNALS": json.dumps(internals), "PYTHONPATH": path}
