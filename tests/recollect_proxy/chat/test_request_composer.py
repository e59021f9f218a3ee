"""Each model's upstream is told of the system as it takes it."""

import json
from collections.abc import Mapping

from tests.support.tables import table

from recollect.composition import Placed
from recollect.wire import COMPLETIONS, ChatBody, SystemStyle
from recollect_proxy.chat.request_composer import RequestComposer

KNOWN = "<recollect_memories>\n- tea\n</recollect_memories>"


def chat_with(model: str) -> ChatBody:
    chat = COMPLETIONS.read(
        json.dumps({"model": model, "messages": [{"role": "user", "content": "Which tea?"}]}).encode()
    )
    assert chat is not None
    return chat


def composed(model: str, styles: Mapping[str, SystemStyle]) -> list[dict[str, str]]:
    body = RequestComposer(COMPLETIONS, styles).compose(chat_with(model), Placed(system=KNOWN))
    assert body is not None
    messages: list[dict[str, str]] = json.loads(body)["messages"]
    return messages


SYSTEM = [{"role": "system", "content": KNOWN}, {"role": "user", "content": "Which tea?"}]
DEVELOPER = [{"role": "developer", "content": KNOWN}, {"role": "user", "content": "Which tea?"}]
NONE = [{"role": "user", "content": f"Which tea?\n\n{KNOWN}"}]


@table(
    ("model", "styles", "messages"),
    [
        ("gemma-3", {}, SYSTEM),
        ("gemma-3", {"gemma*": SystemStyle.NONE}, NONE),
        ("Gemma-3-IT", {"gemma*": SystemStyle.NONE}, NONE),
        ("google/gemma-3", {"gemma*": SystemStyle.NONE}, SYSTEM),
        ("google/gemma-3", {"*gemma*": SystemStyle.NONE}, NONE),
        ("o3", {"o*": SystemStyle.DEVELOPER, "o3": SystemStyle.NONE}, DEVELOPER),
        ("o3", {"o3": SystemStyle.NONE, "o*": SystemStyle.DEVELOPER}, NONE),
    ],
)
def test_the_first_pattern_that_fits_the_models_name_counts(
    model: str, styles: Mapping[str, SystemStyle], messages: list[dict[str, str]]
) -> None:
    assert composed(model, styles) == messages


def test_where_nothing_is_added_nothing_is_composed() -> None:
    assert RequestComposer(COMPLETIONS, {}).compose(chat_with("m"), Placed()) is None


def test_what_has_no_certain_place_is_not_composed() -> None:
    assert RequestComposer(COMPLETIONS, {}).compose(chat_with("m"), Placed(beside={7: KNOWN})) is None
