"""An answer in sound is logged by its transcript."""

import json
from typing import Any

from tests.recollect_proxy.frontends import APIS
from tests.recollect_proxy.spoken import named_event
from tests.running_proxy import RunningProxy, somebody
from tests.scripted_upstream import Answer, ScriptedUpstream, streamed, whole
from tests.tables import table

ASKED, HEARD = "Which rivers meet in Ghent?", "The Leie and the Scheldt."
PIECES = ("The Leie ", "and the Scheldt.")


def _json(value: Any) -> bytes:
    return json.dumps(value).encode()


def _choice(name: str, audio: dict[str, Any]) -> dict[str, Any]:
    return {"choices": [{"index": 0, name: {"role": "assistant", "content": None, "audio": audio}}]}


ANSWERS: list[tuple[str, Answer]] = [
    ("completions", whole(_json(_choice("message", {"id": "a", "data": "UklGRg", "transcript": HEARD})))),
    (
        "completions",
        streamed(*(b"data: %s\n\n" % _json(_choice("delta", {"transcript": each})) for each in PIECES)),
    ),
    (
        "responses",
        streamed(
            *(
                named_event({"type": "response.output_audio_transcript.delta", "delta": each})
                for each in PIECES
            )
        ),
    ),
    (
        "responses",
        whole(
            _json(
                {
                    "id": "r",
                    "status": "completed",
                    "output": [
                        {"type": "message", "content": [{"type": "output_audio", "transcript": HEARD}]}
                    ],
                }
            )
        ),
    ),
]


@table("name, answer", ANSWERS)
async def test_an_answer_in_sound_is_logged_by_its_transcript(
    proxy: RunningProxy, upstream: ScriptedUpstream, name: str, answer: Answer
) -> None:
    api, person = APIS[name], somebody()
    upstream.answers.append(answer)

    body = _json({"model": "scripted", api.listed: [{"role": "user", "content": ASKED}]})
    await proxy.fetch(b"POST", api.path, person.headers(), body)

    assert await proxy.logged(person) == [("user", ASKED), ("assistant", HEARD)]
