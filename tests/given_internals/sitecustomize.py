"""Gives a process of ours other internals than it ships with: Python imports this before all else.

Never: without the variable that names them. See ``tests/internals.py``.
"""

import json
import os

_GIVEN = json.loads(os.environ.get("TEST_INTERNALS", "{}"))

if _GIVEN:
    from recollect.settings.internals import EngineInternals

    for name in _GIVEN.keys() & EngineInternals.model_fields.keys():
        EngineInternals.model_fields[name].default = _GIVEN.pop(name)

if _GIVEN:
    from recollect_proxy.internals import ProxyInternals

    for name, value in _GIVEN.items():
        ProxyInternals.model_fields[name].default = value
