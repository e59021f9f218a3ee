"""What is noted of an answer between the hooks of its request, on the request alone. Never: an engine."""

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field

from recollect.engine.saying import Saying
from recollect.model import Recollection
from recollect_openwebui.hook_call import Call


@dataclass
class AnswerState:
    """One answer. A request may ask several models, for an answer each.

    Attributes:
        is_prepared: Whether its prompt was looked at; the model may be asked again, with what a tool says.
        is_given: Whether it came to its end.
        included: What was recalled into its prompt.
        blocks: As which texts.
        saying: What the person said for it, as it is remembered; None: it is not, or not yet.
        coming_first: Closed when it is over: till then formation yields to it.
    """

    is_prepared: bool = False
    is_answered: bool = False
    included: Sequence[Recollection] = ()
    blocks: Sequence[str] = ()
    exchange_record: Saying | None = None
    chat_priority: ExitStack = field(default_factory=ExitStack)


def answer_state(call: Call) -> AnswerState:
    """Return what is noted of the answer that a hook is called for; nothing where there is no request to note it on."""
    if call.request is None:
        return AnswerState()
    state = call.request.state
    if not hasattr(state, "recollect_answers"):
        state.recollect_answers = {}
    known: AnswerState = state.recollect_answers.setdefault(
        (call.metadata or {}).get("message_id"), AnswerState()
    )
    return known
