"""Gives a process of ours other internals than it ships with: Python imports this before all else.

It does nothing without the variable that names them. See ``tests/servers/internals.py``.
"""

import json
import os

_GIVEN = json.loads(os.environ.get("TEST_INTERNALS", "{}"))

if _GIVEN:
    from recollect.settings.engine_settings import EngineSettings

    for name in _GIVEN.keys() & EngineSettings.model_fields.keys():
        EngineSettings.model_fields[name].default = _GIVEN.pop(name)
    EngineSettings.model_rebuild(force=True)  # it was made of the defaults when it was imported

if _GIVEN:
    from recollect_proxy.settings.proxy_settings import ProxySettings

    for name, value in _GIVEN.items():
        ProxySettings.model_fields[name].default = value
    ProxySettings.model_rebuild(force=True)
