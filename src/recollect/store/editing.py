"""Writes over a memory as a person wants it. Never: embeds what it says then."""

from dataclasses import replace

from recollect.audit import edit_details
from recollect.errors import DuplicateMemoryError
from recollect.model import Action, Memory, Reason, Source
from recollect.store.changing import Changing
from recollect.text.normalization import storable_text


async def edit_memory(changing: Changing, stored: Memory, new: Memory) -> Memory:
    """Write ``new`` over the user's own memory of the same id, and return it as it is then.

    Its embedding is written only with a content that changed. What was kept verbatim is so no longer then, and
    nothing speaks against what a person wrote.

    Raises:
        DuplicateMemoryError: The user has another memory with that content.
    """
    content = storable_text(new.content)
    if await changing.with_content(content) not in {None, stored.id}:
        raise DuplicateMemoryError
    written = replace(new, content=content)
    if content != stored.content:
        source = Source.MANUAL if stored.source is Source.QA_TURN else stored.source
        written = replace(written, source=source, doubt=None)
    await changing.write(written)
    if content != stored.content:
        await changing.note_change(stored)
        await changing.forget_injections([stored.id])
    edited = await changing.seen(stored.id)
    await changing.audit(
        Action.EDIT,
        Reason.EDITED,
        stored.id,
        before=stored.content,
        after=content,
        details=edit_details(stored, edited),
    )
    return edited
