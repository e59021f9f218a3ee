"""Measures whether memory stays out of general questions, and of strangers' requests.

    python -m bench general --lives LIVES.jsonl [--lives MORE.jsonl] [--reuse DIR] [--stores N] [--questions FILE]

The questions of a file are asked in new chats of the stores of people's lives: those of ``general.txt``, or of ``apart-general.txt``, which
nobody trained or tuned on. Standing memories are no answer to a question: counted are those that are given anything besides.
"""

import asyncio
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.figures import percent, wilson
from bench.lives.reading import read_lives
from bench.lives.recall import ask_anew, form, index, open_lives, whole_path
from bench.report import options_of, publish, table

_FILE = Path(__file__).with_name("general.txt")
_REQUEST = "request"
_AIMS = {"general": 3, "requests of others": 15}
_STORES = 5
_MOST_SECONDS = 3000.0


@dataclass(frozen=True, slots=True)
class Unrelated:
    """A general question of a category, or a ``request`` of a stranger."""

    category: str
    language: str
    text: str

    @property
    def group(self) -> str:
        """Which aim it is measured by."""
        return "requests of others" if self.category == _REQUEST else "general"


@dataclass(frozen=True, slots=True)
class Answered:
    """The lines that a store gave to one question.

    Attributes:
        store: The sort of the store: a life in the question's language, or in another.
        person: The owner of the store.
        recalled: The lines beyond the standing memories.
    """

    asked: Unrelated
    store: str
    person: str
    recalled: tuple[str, ...]
    gate: float | None


def read_unrelated(file: Path) -> list[Unrelated]:
    """Return the questions: a line of the file each, category, language and text, by tabs."""
    return [Unrelated(*line.split("\t")) for line in file.read_text("utf-8").splitlines()]


def dealt(questions: Sequence[Unrelated], stores: int, *, asked: int) -> Iterator[list[Unrelated]]:
    """Yield the questions for each of some stores, so that each question is asked of ``asked`` of them, or of all."""
    every = list(enumerate(questions))
    for store in range(stores):
        yield [each for number, each in every if (store - number * asked) % stores < asked]


async def ask_lives(
    unrelated: Sequence[Unrelated], data: Sequence[Path], folder: Path | None, stores: int
) -> list[Answered]:
    """Ask the stores of people's lives: formed here, or kept in a folder."""
    answered: list[Answered] = []
    lives = read_lives(data)
    async with open_lives(lives, folder) as bench:
        if folder is None:
            await form(bench, lives)
        for life, questions in zip(lives, dealt(unrelated, len(lives), asked=stores), strict=True):
            await index(bench, life)
            at = max([each.at for each in life.questions], default=bench.clock())
            own = [each for each in unrelated if life.language.startswith(each.language)]
            for number, each in enumerate(dict.fromkeys((*own, *questions))):
                messages = [{"role": "user", "content": each.text}]
                block = await ask_anew(bench, life.person, f"unrelated-{number}", messages, at)
                lines = zip(block.lines, block.stands, strict=True)
                recalled = tuple(line for line, is_standing in lines if not is_standing)
                store = f"lives, {'own' if each in own else 'another'} language"
                answered.append(Answered(each, store, life.person, recalled, block.gate))
    return answered


def shares(answered: Sequence[Answered]) -> str:
    """Return the shares that were given anything, as a Markdown table."""
    rows: list[tuple[str, ...]] = []
    for group, aim in _AIMS.items():
        own = [each for each in answered if each.asked.group == group]
        rows.append(_row(group, own, f"at most {aim} %"))
        rows += _rows(own, lambda each: each.store, f"{group}, ")
        if group == "general":
            rows += _rows(own, lambda each: each.asked.category, f"{group}, ")
        rows += _rows(own, lambda each: f"language {each.asked.language}", f"{group}, ")
    return table(("", "given anything", "% (95 %)", "aim"), rows)


def _rows(
    answered: Sequence[Answered], key: Callable[[Answered], str], before: str
) -> Iterator[tuple[str, ...]]:
    for name in sorted(set(map(key, answered))):
        yield _row(before + name, [each for each in answered if key(each) == name])


def _row(name: str, answered: Sequence[Answered], aim: str = "") -> tuple[str, ...]:
    given = sum(bool(each.recalled) for each in answered)
    low, high = wilson(given, len(answered)) or (0.0, 1.0)
    between = (
        f"{percent(given, len(answered), 1)} ({percent(low, decimals=1)} to {percent(high, decimals=1)})"
    )
    return name, f"{given}/{len(answered)}", between, aim


def main() -> None:
    """Run the bench."""
    parser = options_of(__doc__)
    parser.add_argument("--lives", type=Path, action="append", required=True)
    parser.add_argument("--reuse", type=whole_path, help="what `python -m bench lives` kept of these lives")
    parser.add_argument("--stores", type=int, default=_STORES, help="ask each of N people's stores")
    parser.add_argument("--questions", type=Path, default=_FILE, help="the file of questions")
    options = parser.parse_args()
    work = ask_lives(read_unrelated(options.questions), options.lives, options.reuse, options.stores)
    answered = asyncio.run(asyncio.wait_for(work, _MOST_SECONDS))
    publish(options, "What memory has nothing to do with, measured", shares(answered), answered)
