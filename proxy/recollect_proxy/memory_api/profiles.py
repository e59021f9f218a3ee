"""The endpoints of a user's profile: what it says, what is proposed for it, and their JSON. Never: SQL."""

from typing import Annotated, Self, TypeAlias
from uuid import UUID

from litestar import Controller, Response, delete, get, patch, post
from litestar.openapi.spec import Example
from litestar.params import BodyKwarg, PathParameter
from msgspec import UNSET, Meta, Struct, UnsetType

from recollect import model
from recollect.model import EntryState, ProfileField
from recollect_proxy.memory_api.errors import (
    DUPLICATE_ENTRY,
    EMBEDDER_UNAVAILABLE,
    PROFILE_ENTRY_NOT_FOUND,
    PROFILE_FULL,
    PROFILE_NOT_ALLOWED,
    documented,
    invalid_field,
)
from recollect_proxy.memory_api.once import ONCE, DoneOnce
from recollect_proxy.memory_api.parameters import (
    ALWAYS,
    READING_A_BODY,
    OpenEngine,
    UserId,
    user_named,
    uuid_named,
)
from recollect_proxy.memory_api.schemas import Content, Time

_REFUSED = (PROFILE_NOT_ALLOWED, PROFILE_FULL, DUPLICATE_ENTRY)

Field: TypeAlias = Annotated[
    ProfileField,
    Meta(
        description="Of what it tells: `name`; `address`, how to be addressed; `answers`, how to be answered; `coding_style`; "
        "`languages`, those of programs; `frameworks`, and how well they are known; `goals`; `domain`; `constraints`; `notes`."
    ),
]
EntryId: TypeAlias = Annotated[
    str,
    PathParameter(
        description="The statement's id, as the profile gives it.",
        schema_extra={"format": "uuid"},
        examples=[Example(value="01980f77-2c3d-7e4f-8a5b-6c7d8e9fa0b1")],
    ),
]


class ProfileEntry(Struct):
    """A statement of a profile."""

    id: UUID
    field: Field
    content: str
    state: Annotated[
        EntryState,
        Meta(description="`confirmed`; or `proposed`: a memory says it, and it counts once it is confirmed."),
    ]
    memory_id: Annotated[
        UUID | None, Meta(description="The memory that proposed it; null: it was written by hand.")
    ]
    outdated: Annotated[
        bool,
        Meta(
            description="Whether that memory says otherwise by now, or is gone: then no prompt is given it until it is "
            "confirmed again."
        ),
    ]
    created_at: Time
    changed_at: Annotated[Time, Meta(description="When it was proposed, written, changed or confirmed last.")]

    @classmethod
    def of(cls, entry: model.ProfileEntry) -> Self:
        """Return the JSON of ``entry``."""
        return cls(
            entry.id,
            entry.field,
            entry.content,
            entry.state,
            entry.memory_id,
            entry.outdated,
            entry.created_at,
            entry.changed_at,
        )


class Profile(Struct):
    """What a user says of themselves."""

    consents: Annotated[
        bool,
        Meta(
            description="Whether the user allows a profile, by the setting `profile`; without it there is none."
        ),
    ]
    entries: Annotated[
        list[ProfileEntry],
        Meta(
            description="200 statements that are confirmed at most, and what is proposed; the oldest first."
        ),
    ]
    updated_at: Annotated[Time | None, Meta(description="When something of it was changed last.")]

    @classmethod
    def of(cls, profile: model.OwnProfile) -> Self:
        """Return the JSON of ``profile``."""
        changed = max((each.changed_at for each in profile.entries), default=None)
        return cls(profile.consents, [ProfileEntry.of(each) for each in profile.entries], changed)


class NewProfileEntry(Struct, forbid_unknown_fields=True):
    """A statement to be written into a profile by hand."""

    field: Field
    content: Content


class ProfileEntryChange(Struct, forbid_unknown_fields=True):
    """What is to be otherwise: at least one of the fields. The others stay as they are."""

    field: Field | UnsetType = UNSET
    content: Content | UnsetType = UNSET


class ProfileOfUser(Controller):
    """What a user says of themselves, or confirms. It is there while the setting `profile` of theirs is on."""

    path = "/users/{user_id:str}/profile"
    tags = ("Profile",)

    @get(
        summary="Read a user's profile",
        response_description="The profile.",
        responses=documented(*ALWAYS),
    )
    async def read_profile(self, engine: OpenEngine, user_id: UserId) -> Profile:
        """What is confirmed and what is proposed. Where the user does not allow a profile it is empty.

        They allow it by `PATCH .../settings` with `{"profile": true}`. With `false` or `null` the profile and its embeddings
        are deleted in the same transaction, and what prompts were given of it.
        """
        return Profile.of(await engine.profile(user_named(user_id)))

    @post(
        summary="Write a statement into a profile",
        response_description="The statement as it was written.",
        responses=documented(*ALWAYS, *READING_A_BODY, *_REFUSED, *ONCE),
    )
    async def add_profile_entry(
        self,
        engine: OpenEngine,
        once: DoneOnce,
        user_id: UserId,
        data: Annotated[NewProfileEntry, BodyKwarg()],
    ) -> Response[ProfileEntry]:
        """It is confirmed. It stands in every chat, as far as the standing part has room for it; secrets are masked."""
        user = user_named(user_id)

        async def add() -> ProfileEntry:
            return ProfileEntry.of(await engine.add_to_profile(user, data.field, data.content))

        return await once.answer(user, add)

    @post(
        "/proposals",
        status_code=200,
        summary="Propose what memories say for a profile",
        response_description="The profile, with the proposals.",
        responses=documented(*ALWAYS, PROFILE_NOT_ALLOWED, EMBEDDER_UNAVAILABLE),
    )
    async def propose_profile(self, engine: OpenEngine, user_id: UserId) -> Profile:
        """Of the sixty memories that matter most those are proposed that seem to tell of one of the fields.

        No model is asked: each is compared with examples of the fields. Nothing counts before it is confirmed. What was
        refused is not proposed again. What is proposed goes with its memory.
        """
        return Profile.of(await engine.propose_profile(user_named(user_id)))

    @patch(
        "/{entry_id:str}",
        summary="Change a statement of a profile",
        response_description="The statement as it is now.",
        responses=documented(*ALWAYS, *READING_A_BODY, PROFILE_ENTRY_NOT_FOUND, *_REFUSED),
    )
    async def change_profile_entry(
        self,
        engine: OpenEngine,
        user_id: UserId,
        entry_id: EntryId,
        data: Annotated[ProfileEntryChange, BodyKwarg()],
    ) -> ProfileEntry:
        """It is confirmed by that. With other words it stays also when the memory goes that proposed it."""
        if data.field is UNSET and data.content is UNSET:
            raise invalid_field(None, "Give at least one of field, content.")
        changed = await engine.change_in_profile(
            user_named(user_id),
            uuid_named("entry_id", entry_id),
            field=None if data.field is UNSET else data.field,
            content=None if data.content is UNSET else data.content,
        )
        return ProfileEntry.of(changed)

    @post(
        "/{entry_id:str}/confirm",
        status_code=200,
        summary="Confirm a statement of a profile",
        response_description="The statement, which counts now.",
        responses=documented(*ALWAYS, PROFILE_ENTRY_NOT_FOUND, *_REFUSED),
    )
    async def confirm_profile_entry(
        self, engine: OpenEngine, user_id: UserId, entry_id: EntryId
    ) -> ProfileEntry:
        """What is proposed counts from now on; what is outdated is true all the same."""
        user, entry = user_named(user_id), uuid_named("entry_id", entry_id)
        return ProfileEntry.of(await engine.confirm_in_profile(user, entry))

    @delete(
        "/{entry_id:str}",
        summary="Take a statement out of a profile",
        response_description="It is gone.",
        responses=documented(*ALWAYS, PROFILE_ENTRY_NOT_FOUND),
    )
    async def remove_profile_entry(self, engine: OpenEngine, user_id: UserId, entry_id: EntryId) -> None:
        """What is proposed is refused so. The memory that proposed it stays, and proposes it no more."""
        await engine.remove_from_profile(user_named(user_id), uuid_named("entry_id", entry_id))
