"""What fuzzing shares: JSON that resembles a chat."""

from typing import Any

from hypothesis import strategies as st
from tests.support.tables import texts

from recollect.wire import COMPLETIONS, MESSAGES, RESPONSES, Dialect

DIALECTS: dict[str, Dialect] = {"completions": COMPLETIONS, "responses": RESPONSES, "messages": MESSAGES}
dialects = st.sampled_from(sorted(DIALECTS)).map(DIALECTS.__getitem__)

_NAMES = texts("""
    type | role | content | text | delta | response | item | output | usage | input | messages | model
    status | error | index | name | content_block | message | stop_reason | system | instructions
    choices | finish_reason | tool_calls | stream
""")
_WORDS = texts("""
    user | assistant | system | developer | tool | text | input_text | output_text | message
    response.output_text.delta | response.completed | response.failed | response.output_item.done
    content_block_delta | content_block_start | message_start | message_delta | message_stop | error
    function_call | tool_use | text_delta | completed | stop
""")

words = st.text() | st.sampled_from(_WORDS)
names = st.sampled_from(_NAMES) | st.text(max_size=3)
values: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | words,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(names, inner, max_size=5),
    max_leaves=15,
)
