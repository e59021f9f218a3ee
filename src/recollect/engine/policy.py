"""The engine's policy: all its behavior that settings change, as one frozen value."""

from dataclasses import dataclass, field, replace
from datetime import UTC, timedelta, tzinfo
from typing import Self, TypeVar

from recollect.composition import Bounds
from recollect.formation import FormationRules, TokenBudget
from recollect.model import Caps, EmbeddingScope, Flags, Guidance, Lifetimes, Placement, Strategy
from recollect.model.local_time import zone_named
from recollect.recall import Gate, NeedThresholds, Reach, SelectionLimits

T = TypeVar("T")


TURNS_OF_A_BATCH = 4
"""Turns formed by one call of a model at most; so many wait no longer."""

GROWN_BATCH = 2
"""How many times as many turns a batch may have after it waited for chats (decision 0031)."""

QUIET = timedelta(seconds=1)
"""How long a chat is quiet before its last turns are formed together. Where formation yields to chats, the time is
learned from how long its LLM takes (decision 0031)."""


@dataclass(frozen=True, slots=True)
class Batching:
    """How turns that come fast are formed together, by one call of a model.

    Attributes:
        turns: The most turns of a batch; a full one waits no longer.
        quiet: How long nothing more was said in the chat before its last turns are formed.
        grown: At most so many where more have come while others were waited for.
    """

    turns: int = 1
    quiet: timedelta = timedelta()
    grown: int = 1


@dataclass(frozen=True, slots=True)
class Yields:
    """Whether chats come first if one server both answers them and forms memories; and the seconds without any chat before anything is formed: None as is learned."""

    to_chats: bool = False
    idle: float | None = None


SUMMARY_TURNS = 5
"""A chat is summarized every so many turns of its person."""

SUMMARY_TOKENS = 4000
"""And every so many tokens: half of a context of 8,192, the least of most local models."""


@dataclass(frozen=True, slots=True)
class Summarizing:
    """When a chat is summarized again.

    Attributes:
        turns: After so many turns of the user; 0: never for their number.
        tokens: After so many tokens; 0: never for these.
        zone: The time zone of the summary's days.
    """

    turns: int = 0
    tokens: int = 0
    zone: tzinfo = UTC
    guidance: Guidance = field(default_factory=Guidance)


@dataclass(frozen=True, slots=True)
class Policy:
    """How the engine behaves.

    Attributes:
        records: Whether messages are kept at all; if not, they are not even logged.
        stands: Whether every chat gets the standing part.
        deadline: Seconds a recall may take.
        gate: When nothing of the log is recalled at all.
        bar: From when on a statement is.
        bounds: The places in a prompt, and the token limits.
        embedded: The messages of the log that get embeddings.
        extraction_model: The model that forms memories of all exchanges; "": of each the one that it was with.
        reader: The rest of the extraction model's identity (its server, the prompt), as a comparable mark.
        strategy: How exchanges are formed; OFF: they are logged, and nothing is formed of them.
        log_days: For how many days messages are kept; 0: for ever.
        attempts: Attempts before an exchange waits for a model, or is held as failed; one that gave way to a chat is none.
        log_secrets: Whether the message log keeps secrets in clear; models are never sent them.
        tells_queries: Whether the record of a request shows the question, from the message log.
        keep_requests_days: How long is kept what requests were like.
    """

    records: bool = True
    recalls: bool = True
    stands: bool = True
    deadline: float = 0.3
    reach: Reach = field(default_factory=Reach)
    gate: Gate = field(default_factory=Gate)
    bar: NeedThresholds = field(default_factory=NeedThresholds)
    selecting: SelectionLimits = field(default_factory=SelectionLimits)
    bounds: Bounds = field(default_factory=Bounds)
    embedded: EmbeddingScope = EmbeddingScope.ALL
    extraction_model: str = ""
    reader: str = ""
    strategy: Strategy = Strategy.EXTRACT
    rules: FormationRules = field(default_factory=FormationRules)
    batching: Batching = field(default_factory=Batching)
    yields: Yields = field(default_factory=Yields)
    caps: Caps = field(default_factory=Caps)
    lifetimes: Lifetimes = field(default_factory=Lifetimes)
    log_days: int = 0
    summarizing: Summarizing = field(default_factory=Summarizing)
    budget: TokenBudget = field(default_factory=TokenBudget)
    attempts: int = 3
    log_secrets: bool = False
    tells_queries: bool = True
    keep_requests_days: int = 30
    zone: tzinfo = UTC
    guidance: Guidance = field(default_factory=Guidance)

    def asked(self, model: str) -> str:
        """Return how it is written down that a model was asked by these settings."""
        return f"{model} #{self.reader}"

    @property
    def only_logs(self) -> bool:
        """Whether messages are kept, but without memories and without an index."""
        is_recalled = self.recalls and self.bounds.placement is not Placement.OFF
        return self.strategy is Strategy.OFF and not is_recalled

    @property
    def flags(self) -> Flags:
        """The values of all settings that can change while the engine runs; no flag is None."""
        return Flags(
            record=self.records,
            recall=self.recalls,
            standing=self.stands,
            formation=self.strategy,
            placement=self.bounds.placement,
            summaries=self.summarizing != Summarizing(),
            queries=self.tells_queries,
            profile=False,  # until a person allows it
            lexical=self.reach.lexical,
            history=self.reach.log,
            max_memory_tokens=self.bounds.memory_tokens,
            max_history_tokens=self.bounds.history_tokens,
            summary_turns=self.summarizing.turns,
            minimum_importance=self.rules.minimum_importance,
            session_cap=self.caps.session,
            user_cap=self.caps.user,
            approve_first=self.rules.approve_first,
            time_zone=str(self.zone),
            operator_instructions=self.guidance.operators,
            instructions=self.guidance.own,
            lifetimes=str(self.lifetimes),
            told_zone="",  # no one tells one for everybody
            told_name="",
        )

    def under(self, flags: Flags) -> Self:
        """Return the policy with the settings changed while the engine runs."""
        if flags == Flags():
            return self  # the same object: `RecallState.know` compares so
        rules, caps = self.rules, self.caps
        if flags.minimum_importance is not None:
            rules = replace(rules, minimum_importance=flags.minimum_importance)
        if flags.session_cap is not None:
            caps = replace(caps, session=flags.session_cap)
        if flags.user_cap is not None:
            caps = replace(caps, user=flags.user_cap)
        if flags.approve_first is not None:
            rules = replace(rules, approve_first=flags.approve_first)
        approves = rules.approve_first  # neither the log nor a summary was approved by anybody
        return replace(
            self,
            records=_or(flags.record, self.records),
            recalls=_or(flags.recall, self.recalls),
            stands=_or(flags.standing, self.stands),
            strategy=_or(flags.formation, self.strategy),
            tells_queries=_or(flags.queries, self.tells_queries),
            reach=replace(
                self.reach,
                lexical=_or(flags.lexical, self.reach.lexical),
                log=_or(flags.history, self.reach.log) and not approves,
            ),
            summarizing=Summarizing() if approves else _summarizing(self.summarizing, flags),
            rules=rules,
            bounds=_changed_bounds(self.bounds, flags),
            caps=caps,
            lifetimes=self.lifetimes.with_own(flags.lifetimes),
            zone=zone_named(flags.time_zone or "") or zone_named(flags.told_zone or "") or self.zone,
            guidance=Guidance(flags.operator_instructions or "", flags.instructions or ""),
        )


def _or(changed: T | None, otherwise: T) -> T:
    return otherwise if changed is None else changed


def _summarizing(summarizing: Summarizing, flags: Flags) -> Summarizing:
    if flags.summaries is False:
        return Summarizing()
    return replace(summarizing, turns=_or(flags.summary_turns, summarizing.turns))


def _changed_bounds(bounds: Bounds, flags: Flags) -> Bounds:
    """Return the changed bounds: the limit of a chat's blocks changes with the limit of a turn."""
    if flags.max_memory_tokens is not None:
        share = bounds.chat_memory_tokens / max(bounds.memory_tokens, 1)
        bounds = replace(
            bounds,
            memory_tokens=flags.max_memory_tokens,
            later_tokens=min(bounds.later_tokens, flags.max_memory_tokens),
            chat_memory_tokens=round(flags.max_memory_tokens * share),
        )
    return replace(
        bounds,
        placement=_or(flags.placement, bounds.placement),
        history_tokens=_or(flags.max_history_tokens, bounds.history_tokens),
    )
