"""Computes the means that are subtracted from the embedder's vectors: of questions and of statements.

    python -m bench centring LIVES.jsonl ...

The files are people as ``bench.lives.life`` reads them: their messages and questions stand for questions, the labelled memories
for statements, each text once. With other means the embedder's space has another name, and every statement is embedded again
in the background.
"""

import asyncio
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from bench.files import read_lines
from bench.report import parser_of
from recollect.models.embedders import multilingual_e5
from recollect.models.embedders.multilingual_e5 import MultilingualE5Embedder

MEANS = Path(multilingual_e5.__file__).with_name("multilingual_e5_small_means.npy")


def texts_of(person: dict[str, Any]) -> Iterator[tuple[bool, str]]:
    """Yield each text of a person, and whether it is a memory."""
    for turn in (turn for chat in person["chats"] for turn in chat["turns"]):
        yield False, turn["user"]
        yield from ((True, memory["content"]) for memory in turn.get("memories") or ())
    for question in person["questions"]:
        yield False, question["ask"]
        yield from ((False, before["user"]) for before in question.get("before") or ())


async def measured(
    questions: Sequence[str], statements: Sequence[str]
) -> "np.ndarray[Any, np.dtype[np.float32]]":
    """Return the means of both sides, (2, 384) float32."""
    plain = MultilingualE5Embedder(means=np.zeros((2, 384), dtype=np.float32))
    asked = [await plain.embed_question(each) for each in questions]
    told = await plain.embed(statements)
    await plain.aclose()
    return np.stack([np.mean(asked, axis=0), np.mean(told, axis=0)]).astype(np.float32)


def main() -> None:
    """Read the files, and write the means into the package."""
    parser = parser_of(__doc__)
    parser.add_argument("lives", nargs="+", type=Path, help="JSON lines, a person each")
    people = read_lines(parser.parse_args().lives)
    found = dict.fromkeys(each for person in people for each in texts_of(person))
    questions, statements = ([text for kept, text in found if kept is side] for side in (False, True))
    means = asyncio.run(measured(questions, statements))
    before = np.load(MEANS) if MEANS.exists() else means
    np.save(MEANS, means, allow_pickle=False)
    print(f"{len(questions)} questions, {len(statements)} statements; written to {MEANS.name}")
    print(
        f"moved by {np.abs(means - before).max():.4f} at most, lengths {np.linalg.norm(means, axis=1).round(3)}"
    )
