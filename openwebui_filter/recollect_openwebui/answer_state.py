"""The state of an answer, kept on its request between the hooks that Open WebUI calls. Never: an engine."""

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field

from recollect.engine.recording.exchanges import ExchangeRecord
from recollect.model import Recollection
from recollect_openwebui.hook_call import Call
from recollect_openwebui.notices import Notices


@dataclass
class AnswerState:
    """The state of one answer. A request to several models has an answer of each.

    Attributes:
        is_prepared: Whether memories were recalled for it; the model may be asked again, with the results of tools.
        is_answered: Whether the answer is complete.
        included: The recollections in its prompt.
        blocks: The texts that were added to its prompt.
        notices: The notices in the person's language.
        exchange_record: Writes the exchange to the log; None if it is not kept, or not yet.
        chat_priority: Until it is closed, formation yields to this answer.
    """

    is_prepared: bool = False
    is_answered: bool = False
    included: Sequence[Recollection] = ()
    blocks: Sequence[str] = ()
    notices: Notices = field(default_factory=Notices)
    exchange_record: ExchangeRecord | None = None
    chat_priority: ExitStack = field(default_factory=ExitStack)


def answer_state(call: Call) -> AnswerState:
    """Return the state of the answer that a hook is called for; a new one, kept nowhere, if the hook is given no request."""
    if call.request is None:
        return AnswerState()
    state = call.request.state
    if not hasattr(state, "recollect_answers"):
        state.recollect_answers = {}
    known: AnswerState = state.recollect_answers.setdefault(
        (call.metadata or {}).get("message_id"), AnswerState()
    )
    return known
