"""An answer in sound is heard by its transcript, in each API that has one."""

import json
from typing import Any

from tests.support.tables import table

from recollect.wire import COMPLETIONS, RESPONSES, Dialect

HEARD, PIECES = "The Leie and the Scheldt.", ("The Leie ", "and the Scheldt.")


def completion(name: str, audio: dict[str, Any]) -> dict[str, Any]:
    return {"choices": [{"index": 0, name: {"role": "assistant", "content": None, "audio": audio}}]}


def delta(piece: str) -> dict[str, Any]:
    return {"type": "response.output_audio_transcript.delta", "delta": piece}


def spoken(transcript: str) -> dict[str, Any]:
    content = [{"type": "output_audio", "transcript": transcript}]
    return {"id": "r", "status": "completed", "output": [{"type": "message", "content": content}]}


@table(
    ("dialect", "whole", "streamed"),
    [
        (
            COMPLETIONS,
            completion("message", {"id": "a", "data": "UklGRg", "transcript": HEARD}),
            [completion("delta", {"transcript": each}) for each in PIECES],
        ),
        (RESPONSES, spoken(HEARD), [delta(each) for each in PIECES]),
    ],
)
def test_an_answer_in_sound_is_heard_by_its_transcript(
    dialect: Dialect, whole: dict[str, Any], streamed: list[dict[str, Any]]
) -> None:
    reader, stream = dialect.listen("application/json", ""), dialect.listen("text/event-stream", "")
    reader.feed(json.dumps(whole).encode())
    for each in streamed:
        stream.feed(b"data: " + json.dumps(each).encode() + b"\n\n")

    assert (reader.finish().text, stream.finish().text) == (HEARD, HEARD)
