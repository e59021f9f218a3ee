"""The pages of settings that users change for themselves, and administrators for all users, while Recollect runs. Never: SQL."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from litestar import Response, get, post

from recollect.engine import Policy
from recollect.model import LONGEST_INSTRUCTIONS, OF_ONE, Flags
from recollect_proxy.pages.failures import BAD_INPUT, PageError
from recollect_proxy.pages.visit import InVisit, Reading, Transaction, Visit, require_administrator
from recollect_proxy.settings.flags import FlagField, flag_fields

_FIELDS = tuple(each for each in flag_fields() if each.name not in OF_ONE)
"""The fields of all settings but those that each user gives alone."""
_TEXTS = tuple(each for each in flag_fields() if each.name in {"instructions", "lifetimes"})
_SWITCHES = ("record", "recall", "standing", "summaries", "approve_first")
"""The settings that people switch: a box each. All others are the administrators'."""


class ShownFlag(NamedTuple):
    """A field of the form, with its changed value ("": unchanged), and the value that holds while it is unchanged."""

    field: FlagField
    own: str
    followed: str


@get("/settings")
async def show_settings(visit: Reading) -> Response[str]:
    """Return the page of a user's settings; an administrator's has more of them."""
    shown: list[ShownFlag] = []
    if visit.session.principal.is_administrator:
        own, everybodys = await visit.engine.flags(visit.person), await visit.engine.policy_of(None)
        shown = [each for each in _shown_flags(own, everybodys) if each.field.name not in _SWITCHES]
    guidance = (await visit.engine.policy_of(visit.person)).guidance
    return visit.page(
        "settings.html",
        switches=await _switched(visit),
        fixed={"approve_first"} if await _approves_for_all(visit) else set(),
        instructions=guidance.own,
        operators=guidance.operators,
        longest=LONGEST_INSTRUCTIONS,
        lifetimes=(await visit.engine.flags(visit.person)).lifetimes or "",
        operators_lifetimes=str(visit.engine.policy.lifetimes),
        flags=shown,
    )


@post("/settings")
async def change_switches(change: Transaction) -> Response[str]:
    """Change the settings that have a box, each off if it is not ticked, and the person's own instructions and lifetimes."""
    visit = change.visit
    own = await visit.engine.flags(visit.person)
    before = {**await _switched(visit), **{each.name: getattr(own, each.name) for each in _TEXTS}}
    given: dict[str, Any] = {name: change.form.get(name) == "on" for name in _SWITCHES}
    for each in _TEXTS:
        given[each.name] = _value(each, change.form.get(each.name, getattr(own, each.name) or ""))
    if await _approves_for_all(visit):
        del before["approve_first"]  # no one ends that alone
    named = [name for name in before if given[name] != before[name]]  # the others follow the settings for all
    await visit.engine.change_flags(Flags(**given), named, visit.person, by=visit.changer)
    return visit.back("/settings", done="saved")


@post("/settings/more")
async def change_more(change: Transaction) -> Response[str]:
    """Change the settings of a user that administrators alone change; an empty field follows the setting of all users."""
    visit = change.visit
    require_administrator(visit)
    await _change(visit, change.form, visit.person)
    return visit.back("/settings", done="saved")


@get("/everybody")
async def show_everybody(entered: InVisit) -> Response[str]:
    """Return the page of settings for all users."""
    require_administrator(entered)
    own = await entered.engine.flags()
    return entered.page("everybody.html", flags=_shown_flags(own, entered.engine.policy))


@post("/everybody")
async def change_everybody(change: Transaction) -> Response[str]:
    """Change the settings for all users; an empty field takes the value of the start."""
    require_administrator(change.visit)
    await _change(change.visit, change.form, None)
    return change.visit.back("/everybody", done="saved")


async def _switched(visit: Visit) -> dict[str, bool]:
    """Return the switches in effect for the user."""
    flags = (await visit.engine.policy_of(visit.person)).flags
    return {name: bool(getattr(flags, name)) for name in _SWITCHES}


async def _approves_for_all(visit: Visit) -> bool:
    return (await visit.engine.policy_of(None)).rules.approve_first


def _shown_flags(own: Flags, followed: Policy) -> list[ShownFlag]:
    """Return the fields, with changed values from ``own`` and others from ``followed``."""
    return [
        ShownFlag(each, each.text(getattr(own, each.name)), each.text(getattr(followed.flags, each.name)))
        for each in _FIELDS
    ]


async def _change(visit: Visit, form: Mapping[str, str], user_id: str | None) -> None:
    """Change the settings whose fields differ; a field that the form lacks stays."""
    own = await visit.engine.flags(user_id)
    given = {each.name: _value(each, form[each.name]) for each in _FIELDS if each.name in form}
    changed = {name: value for name, value in given.items() if value != getattr(own, name)}
    if changed:
        await visit.engine.change_flags(Flags(**changed), tuple(changed), user_id, by=visit.changer)


def _value(field: FlagField, text: str) -> Any:
    """Return the value of a form's field, or raise PageError."""
    try:
        return field.value(text)
    except ValueError:
        raise PageError(BAD_INPUT) from None
