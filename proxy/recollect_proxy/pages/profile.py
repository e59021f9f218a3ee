"""The page of the person's profile: consent, statements, and proposals from memories. Never: SQL."""

from uuid import UUID

from litestar import Response, get, post
from litestar.params import FromQuery

from recollect.model import EntryState, Flags, OwnProfile, ProfileEntry, ProfileField
from recollect_proxy.pages.failures import BAD_INPUT, PageError
from recollect_proxy.pages.memories import LONGEST_CONTENT, content_of, id_of
from recollect_proxy.pages.visit import Change, Reading, Transaction

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


def _field_of(change: Change) -> ProfileField:
    try:
        return ProfileField(change.form.get("field", ""))
    except ValueError:
        raise PageError(BAD_INPUT) from None
