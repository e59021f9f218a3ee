"""For Schemathesis: makes requests right in what the API says in words, as no JSON Schema can."""

import uuid
from typing import Any
from urllib.parse import quote

import schemathesis  # type: ignore[import-not-found]  # of the clients' own environment

_KEY, _PROJECT = "Idempotency-Key", "X-Recollect-Project"
_IDS = ("user_id", "session_id", "user", "session")
_LONGEST = 256
_TEXTS = {"time_zone": "Pacific/Auckland", "lifetimes": "todo:30,#work:365"}


@schemathesis.hook  # type: ignore[untyped-decorator]
def before_call(_context: Any, case: Any, _kwargs: Any) -> None:
    """Mend what is meant to be right: keys differ, ids are filled in, projects percent-encoded, zones exist, lifetimes have days."""
    if case.meta is None or case.meta.generation.mode != schemathesis.GenerationMode.POSITIVE:
        return
    if _KEY in (case.headers or {}):
        case.headers[_KEY] = str(uuid.uuid4())
    if _PROJECT in (case.headers or {}):
        case.headers[_PROJECT] = quote(_named(case.headers[_PROJECT]), safe="")
    for named in (case.path_parameters, case.query, case.body):
        if isinstance(named, dict):
            _mend(named)
    for name, value in (case.path_parameters or {}).items():
        if value in {None, "None"}:  # it follows an answer whose list of ids is empty
            case.path_parameters[name] = str(uuid.uuid4())


def _mend(named: dict[str, Any]) -> None:
    for name in _IDS:
        if isinstance(named.get(name), str):
            named[name] = _filled(named[name])
    if isinstance(named.get("project"), str):
        named["project"] = _named(named["project"])
    if isinstance(named.get("users"), list):
        named["users"] = [_filled(each) for each in named["users"]]
    named.update({name: text for name, text in _TEXTS.items() if isinstance(named.get(name), str)})


def _filled(text: str) -> str:
    """Return an id that is no template: one of marks or white space alone has a letter before it."""
    return text if text[:1].isalnum() else f"a{text}"[:_LONGEST]


def _named(text: str) -> str:
    """Return the name of a project that is no template, of the same length: without marks, of which templates are made."""
    return "".join(each if each.isalnum() else "a" for each in text)
