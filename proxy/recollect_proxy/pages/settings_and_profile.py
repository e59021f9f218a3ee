"""The pages of a person's settings and profile: consent, statements, proposals from memories; and of the settings for all users."""

from collections.abc import Mapping
from typing import Any, NamedTuple
from uuid import UUID

from litestar import Response, get, post
from litestar.params import FromQuery

from recollect.api.fields import LONGEST_CONTENT
from recollect.engine import Policy
from recollect.model import (
    LONGEST_INSTRUCTIONS,
    OF_ONE,
    EntryState,
    Flags,
    Kind,
    OwnProfile,
    ProfileEntry,
    ProfileField,
)
from recollect_proxy.pages.failures import BAD_INPUT, PageError
from recollect_proxy.pages.page_request import (
    InVisit,
    Reading,
    SentForm,
    Transaction,
    Visit,
    require_administrator,
)
from recollect_proxy.pages.single_memory import content_of, id_of
from recollect_proxy.settings.runtime_settings import FlagField, flag_fields

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
        kinds="|".join(Kind),
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


_LEADS = ("/profile", "profile.show")
"""The page that a row's answer links to, and the words of the link."""


@get("/profile")
async def show_profile(visit: Reading, field: FromQuery[str] = "") -> Response[str]:
    """Return the page of the profile; the form for a new statement begins with the field that the address names."""
    profile = await visit.engine.profile(visit.person)
    confirmed = [each for each in profile.entries if each.state is EntryState.CONFIRMED]
    return visit.page(
        "profile.html",
        profile=profile,
        fields={name: [each for each in confirmed if each.field is name] for name in ProfileField},
        proposed=_proposed(profile),
        updated_at=max((each.changed_at for each in profile.entries), default=None),
        chosen=field,
        longest=LONGEST_CONTENT,
    )


@post("/profile")
async def write_entry(change: Transaction) -> Response[str]:
    """Add an entry to the profile."""
    visit = change.visit
    await visit.engine.add_to_profile(visit.person, _field_of(change), content_of(change))
    return visit.back("/profile", done="profile_written")


@post("/profile/correct")
async def correct_entry(change: Transaction) -> Response[str]:
    """Correct an entry, or move it to another field; this confirms it."""
    visit = change.visit
    await visit.engine.change_in_profile(
        visit.person, id_of(change), field=_field_of(change), content=content_of(change)
    )
    return visit.back("/profile", done="profile_corrected")


@post("/profile/confirm")
async def confirm_entry(change: Transaction) -> Response[str]:
    """Confirm a proposal, or an entry that its memory now contradicts."""
    await change.visit.engine.confirm_in_profile(change.visit.person, id_of(change))
    return change.answer("profile_confirmed", "/profile", leads=_LEADS)


@post("/profile/refuse")
async def refuse_entry(change: Transaction) -> Response[str]:
    """Refuse a proposal; its memory stays, and proposes it no longer."""
    await change.visit.engine.remove_from_profile(change.visit.person, id_of(change))
    return change.answer("profile_refused", "/profile", leads=_LEADS)


@post("/profile/erase")
async def erase_entry(change: Transaction) -> Response[str]:
    """Erase an entry of the profile."""
    await change.visit.engine.remove_from_profile(change.visit.person, id_of(change))
    return change.answer("profile_erased", "/profile", leads=_LEADS)


@post("/profile/proposals")
async def propose_entries(change: Transaction) -> Response[str]:
    """Propose entries from memories."""
    visit = change.visit
    before = _ids(await visit.engine.profile(visit.person))
    new = _ids(await visit.engine.propose_profile(visit.person)) - before
    return visit.back("/profile", done="profile_proposed" if new else "profile_nothing")


@post("/profile/consent")
async def change_consent(change: Transaction) -> Response[str]:
    """Give consent to a profile, or take it back, which erases the profile at once."""
    allowed = {"yes": True, "no": False}.get(change.form.get("allows", ""))
    if allowed is None:
        raise PageError(BAD_INPUT)
    visit = change.visit
    await visit.engine.change_flags(Flags(profile=allowed), ("profile",), visit.person, by=visit.changer)
    return visit.back("/profile", done="profile_allowed" if allowed else "profile_revoked")


def _proposed(profile: OwnProfile) -> list[ProfileEntry]:
    return [each for each in profile.entries if each.state is EntryState.PROPOSED]


def _ids(profile: OwnProfile) -> set[UUID]:
    return {each.id for each in _proposed(profile)}


def _field_of(change: SentForm) -> ProfileField:
    try:
        return ProfileField(change.form.get("field", ""))
    except ValueError:
        raise PageError(BAD_INPUT) from None
