"""Counts the results of an import, and words them: with the model that will form memories of the chats, and missing settings. It holds no user text."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from recollect.model import Reason, SpokenWith, Strategy
from recollect_proxy.settings.proxy_settings import ProxySettings

_MOST_TOLD = 20

_WHY = {
    Reason.CONFIDENTIAL: "nothing but a secret",
    Reason.EMPTY: "without text",
    Reason.TOO_LONG: "too long",
    Reason.REFUSED: "the person refused it before",
}


@dataclass(slots=True)
class Tally:
    """The counts of an import.

    Attributes:
        with_chats: Whether chats are imported, too.
        users: The users for whom rows were read.
        memories: The numbers of memories: `new`, already `there`, `held` in quarantine, `changed` in the source since the last
            import, and `left` because someone changed them here, too.
        refused: The number of memories that were not kept, by reason.
        chats: The numbers of chats with `new` exchanges, and of those already `there`.
        left_out: The number of chats that were skipped, by reason.
        exchanges: The numbers of exchanges: `new`, and already `there`.
        broken: A message for each row that can't be read.
        strangers: The number of rows whose user no longer has an account.
        off: The users with recording switched off.
        spoken_with: By user, with which model they chatted last, which will be asked; None: with none.
    """

    with_chats: bool = True
    users: set[str] = field(default_factory=set)
    memories: Counter[str] = field(default_factory=Counter)
    refused: Counter[Reason] = field(default_factory=Counter)
    chats: Counter[str] = field(default_factory=Counter)
    left_out: Counter[str] = field(default_factory=Counter)
    exchanges: Counter[str] = field(default_factory=Counter)
    broken: list[str] = field(default_factory=list)
    strangers: int = 0
    off: set[str] = field(default_factory=set)
    spoken_with: dict[str, SpokenWith | None] = field(default_factory=dict)

    def document(self) -> dict[str, object]:
        """Return the counts for JSON output."""
        return {
            "users": len(self.users),
            "memories": dict(self.memories),
            "refused": dict(self.refused),
            "chats": dict(self.chats),
            "left_out": dict(self.left_out),
            "exchanges": dict(self.exchanges),
            "recording_off": len(self.off),
            "skipped": self.broken,
        }

    def problems(self) -> Iterator[str]:
        """Yield a line for each row that can't be read, at most 20, and then the number of further ones."""
        yield from self.broken[:_MOST_TOLD]
        if len(self.broken) > _MOST_TOLD:
            yield f"... and {len(self.broken) - _MOST_TOLD} more"

    def lines(self, *, dry_run: bool) -> Iterator[str]:
        """Yield the lines of the summary."""
        kept = self.memories
        if dry_run:
            yield "Dry run: nothing was written. This would come:"
        yield f"users:     {len(self.users)}"
        yield f"memories:  {kept['new']} new" + "".join(
            [
                _if_any(kept["changed"], "changed there since"),
                _if_any(kept["held"], "held back until their user approves them"),
                f", {kept['there']} there already",
                _if_any(kept["left"], "changed here since, left as it is"),
                *(_if_any(n, f"refused ({_WHY.get(why, why)})") for why, n in sorted(self.refused.items())),
            ]
        )
        if self.with_chats:
            left_out = "".join(_if_any(n, f"left out ({why})") for why, n in sorted(self.left_out.items()))
            yield f"chats:     {self.chats['new']} new or longer, {self.chats['there']} there already{left_out}"
            yield f"exchanges: {self.exchanges['new']} new, {self.exchanges['there']} there already"
        if self.off:
            yield f"recording is off for {_counted(len(self.off), 'user')}: nothing of their chats is kept"
        if self.strangers:
            yield f"left out:  {_counted(self.strangers, 'row')} of users who no longer have an account"
        if self.broken:
            yield f"skipped:   {_counted(len(self.broken), 'row')} that can't be read (named above)"


def _if_any(count: int, what: str) -> str:
    return f", {count} {what}" if count else ""


def hints(settings: ProxySettings, tally: Tally) -> Iterator[str]:
    """Yield hints on the limits and the model with which memories will be formed from the imported chats."""
    if not tally.exchanges["new"]:
        return
    yield "Memories are formed of the chats while `recollect serve` runs on the same data."
    limits = {
        "an hour (RECOLLECT_MEMORIES_PER_HOUR)": settings.memories_per_hour,
        "in all (RECOLLECT_USER_CAP)": settings.user_cap,
    }
    if limited := [f"{limit} {name}" for name, limit in limits.items() if limit]:
        yield f"Of these a user gets at most {' and '.join(limited)}, unless its settings differ. Every chat is searched."
    if settings.formation in {Strategy.EXTRACT, Strategy.BOTH}:
        yield from _model(settings, tally)


def _model(settings: ProxySettings, tally: Tally) -> Iterator[str]:
    """Yield the model that is asked; without one, the remedy."""
    if settings.extraction_model is None:
        without = sum(1 for model in tally.spoken_with.values() if model is None)
        if len(tally.spoken_with) > without:
            yield "No RECOLLECT_EXTRACTION_MODEL is set: Recollect asks the model that each user chatted with last."
        if without:
            yield (
                "NO MODEL is set for this command. If none is set for `recollect serve` either, the chats of "
                f"{_counted(without, 'user')} wait until they chat once: Recollect then asks the model of that chat. Or set "
                "RECOLLECT_EXTRACTION_MODEL there, and start it again."
            )
    if settings.extraction_api_key is None and settings.upstream_api_key is None:
        keyed = sum(1 for model in tally.spoken_with.values() if model is not None and model.authorized)
        if keyed:
            yield (
                f"NO KEY: {_counted(keyed, 'user')} chatted with keys of their own, which are kept for an hour, in memory alone. After "
                "that the rest waits until they chat again. Set RECOLLECT_EXTRACTION_API_KEY to form it now."
            )


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}" + "s" * (number != 1)
