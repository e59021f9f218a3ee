"""Opens an engine whose models answer as a script says, over a database of its own that is removed in the end.

Never: what is measured.
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace

from bench.formation.recording import RecordingInbox
from bench.formation.scripts import Script, ScriptedExtractor, ScriptedJudge
from bench.recall.clock import ReplayClock
from bench.recall.opening import unhurried
from recollect.assembly import make_policy, open_backends
from recollect.backends import Backends
from recollect.engine import Engine, Policy
from recollect.model import Strategy
from recollect_proxy.serving.ephemeral_server import temporary
from recollect_proxy.settings.proxy_settings import ProxySettings


@dataclass(frozen=True, slots=True)
class Bench:
    """What formation is measured with.

    Attributes:
        engine: Forms memories.
        backends: What it works with.
        inbox: Tells what it decided.
        clock: What it tells the time by.
        scripts: What the models answer, by user.
    """

    engine: Engine
    backends: Backends
    inbox: RecordingInbox
    clock: ReplayClock
    scripts: dict[str, Script] = field(default_factory=dict)


def make_bench(backends: Backends, policy: Policy, *, judges: bool = True) -> Bench:
    """Return an engine over these backends, but for the models and the time.

    Args:
        backends: Where memories are kept, and the embedder.
        policy: How the engine behaves.
        judges: Whether a second model is asked which memories a command to forget means.
    """
    clock, inbox = ReplayClock(), RecordingInbox(backends.inbox)
    scripts: dict[str, Script] = {}
    own = replace(
        backends,
        inbox=inbox.as_inbox,
        extractor=ScriptedExtractor(scripts),
        judge=ScriptedJudge(scripts) if judges else None,
        summarizer=None,
    )
    return Bench(Engine(own, policy, clock=clock), own, inbox, clock, scripts)


@asynccontextmanager
async def open_bench(settings: ProxySettings, *, judges: bool = True) -> AsyncIterator[Bench]:
    """Open the store and the embedder until left.

    Args:
        settings: The operator's. Database, models and time are the bench's own, nothing waits, and nothing is
            left out or let go of for its number; everything else is as in a chat.
        judges: Whether a second model is asked which memories a command to forget means.

    Raises:
        RecollectError: They could not be opened.
    """
    own = temporary(
        settings,
        formation=Strategy.EXTRACT,
        formation_quiet_seconds=0,
        extraction_model=None,
        extraction_base_url=None,
        memories_per_hour=0,
        session_cap=0,
        user_cap=0,
        summary_turns=0,
        summary_tokens=0,
        user_tokens_per_day=0,
        tokens_per_day=0,
        global_memories=None,
        **unhurried(settings),
    )
    async with open_backends(own) as backends:
        yield make_bench(backends, make_policy(own), judges=judges)
