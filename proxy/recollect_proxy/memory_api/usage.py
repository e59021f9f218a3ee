"""What models take in the background for a user: the endpoint and its JSON."""

from datetime import date
from typing import Annotated

from litestar import get
from msgspec import Meta, Struct

from recollect_proxy.memory_api.errors import documented
from recollect_proxy.memory_api.parameters import ALWAYS, OpenEngine, UserId, user_named


class Usage(Struct):
    """Tokens that models took for a user to form and to summarize."""

    day: Annotated[date, Meta(description="Since midnight of this day, UTC.")]
    tokens: Annotated[int, Meta(description="Of prompts and answers together.")]
    limit: Annotated[
        int | None,
        Meta(description="What they may take on a day (`user_tokens_per_day`); null: any number."),
    ]


@get(
    "/users/{user_id:str}/usage",
    summary="Read what models took for a user today",
    response_description="The tokens, and how many they may be.",
    tags=["Operation"],
    responses=documented(*ALWAYS),
)
async def read_usage(engine: OpenEngine, user_id: UserId) -> Usage:
    """Return the user's token counts. At the limit, exchanges are kept whole, without a model, until the day (UTC) is over."""
    used = await engine.usage(user_named(user_id))
    return Usage(used.day, used.tokens, used.limit or None)
