"""Names the model that will form memories of imported chats, and missing settings. It holds no user text."""

from collections.abc import Iterator

from recollect.model import Strategy
from recollect_proxy.importers.tally import Tally
from recollect_proxy.settings.proxy_settings import ProxySettings


def hints(settings: ProxySettings, tally: Tally) -> Iterator[str]:
    """Yield hints on the limits and the model with which memories will be formed from the imported chats."""
    if not tally.exchanges["new"]:
        return
    yield "Memories are formed of the chats while `recollect serve` runs on the same data."
    if settings.memories_per_hour or settings.user_cap:
        yield (
            f"A user is given {settings.memories_per_hour or 'any number of'} memories an hour at most "
            f"(RECOLLECT_MEMORIES_PER_HOUR), and keeps {settings.user_cap or 'any number'} (RECOLLECT_USER_CAP): "
            "what is more is not learned from the chats, but found in them."
        )
    if settings.formation in {Strategy.EXTRACT, Strategy.BOTH}:
        yield from _model(settings, tally)


def _model(settings: ProxySettings, tally: Tally) -> Iterator[str]:
    """Yield the model that is asked; without one, the remedy."""
    if settings.extraction_model is None:
        without = sum(1 for model in tally.spoken_with.values() if model is None)
        if len(tally.spoken_with) > without:
            yield "No RECOLLECT_EXTRACTION_MODEL is set: the model is asked that each user chats with last."
        if without:
            yield (
                f"NO MODEL: of {_users(without)} all of it waits. Set RECOLLECT_EXTRACTION_MODEL and start Recollect again, or "
                "let them chat once: then the model is asked that they chat with."
            )
    if settings.extraction_api_key is None and settings.upstream_api_key is None:
        keyed = sum(1 for model in tally.spoken_with.values() if model is not None and model.authorized)
        if keyed:
            yield (
                f"NO KEY: {_users(keyed)} chat with keys of their own, which are kept in memory for an hour alone. What can't "
                "be asked with them waits until they chat again. Set RECOLLECT_EXTRACTION_API_KEY to form it now."
            )


def _users(number: int) -> str:
    return "1 user" if number == 1 else f"{number} users"
