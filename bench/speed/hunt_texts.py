"""The texts of a hunt: a seeded stream of what may hold a reader, each with its recipe. Never: what is measured with it."""

import json
import random
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.alternatives import alternatives
from tests.compiled_patterns import anchored_and_bounded, linear_ones

JOINERS = {
    "space": " ",
    "newline": "\n",
    "comma": ", ",
    "nothing": "",
    "zero width": "\u200b",
    "full stop": ". ",
}
SIGNS = (
    *(
        "[",
        "({[<",
        "\"'`",
        "\u201e\u201c\u00ab\u300c",
        "```\n",
        "~~~\n",
        "> ",
        "#",
        "- ",
        "*",
        "|",
        "1",
        "1 2,3.4-",
        "9:9:9 ",
    ),
    *(
        "https://a.example/b?c=d&",
        "a@b.example ",
        "<file ",
        "<recollect_memories>\n",
        "![a](",
        "key=",
        "\\",
        "\x00",
    ),
    *(
        "\u200b",
        "\u202e",
        "\U0001f600",
        "\u0301",
        "\u8bf7",
        "\uac00",
        "\u3042",
        "\ufb01",
        "\U0001d400",
        "\t",
        "\r\n",
        "A",
        "iI",
    ),
)
LONGEST = 10_000_000
_SIZES = (
    (0.94, 300, 4_000),
    (0.05, 40_000, 40_000),
    (0.009, 1_000_000, 1_000_000),
    (0.001, LONGEST, LONGEST),
)
"""The share of the texts, and how many characters they have, at least and at most."""
_MESSAGES, _NAME = 1_000, 40
"""How many messages are drawn; and what has so few characters is a name, a key, or a date."""
_OWN = Path(__file__).parents[1] / "formation" / "labelled"
_POINT, _CATEGORY = re.compile(r"\\x\{([0-9a-fA-F]+)\}"), re.compile(r"\\[pP](?:\{\^?\w+\}|\w)")


@dataclass(frozen=True)
class Text:
    """A text of the stream.

    Attributes:
        number: Its place in it.
        recipe: How it is made; with the seed and the number it can be made again. Never the words of a message.
        text: The text.
    """

    number: int
    recipe: str
    text: str


class Stream:
    """All texts of a seed, each made when it is asked for.

    Args:
        seed: What is drawn depends on it, and on the number of a text.
        files: JSON lines whose long strings are messages; those of the formation bench, where there are none.
    """

    def __init__(self, seed: int, files: Sequence[Path] = ()) -> None:
        self._seed = seed
        self.alternatives = _all_alternatives()
        messages = sorted(set(_messages(files or sorted(_OWN.glob("*.jsonl")))))
        drawn = random.Random(seed)
        self.messages = drawn.sample(messages, min(_MESSAGES, len(messages)))
        self._order = drawn.sample(range(len(self.alternatives)), len(self.alternatives))

    def text(self, number: int) -> Text:
        """Return the text of a number: of each two one repeats the next alternative alone, the other is drawn."""
        drawn = random.Random(f"{self._seed}:{number}")
        at, is_drawn = divmod(number, 2)
        if is_drawn or at >= len(self._order):
            make: Callable[[random.Random], tuple[str, str]] = drawn.choices(
                (self._crossed, self._fragment, self._signs, self._mixed), (5, 3, 1, 2)
            )[0]
            recipe, piece = make(drawn)
        else:
            recipe, piece = self._alternative(self._order[at])
        joiner = drawn.choice(list(JOINERS))
        _, least, most = drawn.choices(_SIZES, [share for share, _, _ in _SIZES])[0]
        size = round(least * (most / least) ** drawn.random())
        repeated = piece + JOINERS[joiner] or " "
        text = (repeated * (size // len(repeated) + 1))[:size]
        return Text(number, f"#{number}: {recipe}, joined by {joiner}, {size:,} characters", text)

    def _alternative(self, at: int) -> tuple[str, str]:
        return f"alternative {at}", self.alternatives[at]

    def _crossed(self, drawn: random.Random) -> tuple[str, str]:
        chosen = drawn.sample(range(len(self.alternatives)), drawn.choice((2, 2, 3)))
        between = drawn.choice((" ", "", ", ", "\n", "\u200b"))
        return f"alternatives {chosen} by {between!r}", between.join(self.alternatives[at] for at in chosen)

    def _fragment(self, drawn: random.Random) -> tuple[str, str]:
        at = drawn.randrange(len(self.messages))
        message = self.messages[at]
        length = round(2 * (len(message) / 2) ** drawn.random())
        begin = drawn.randrange(len(message) - length + 1)
        return f"message {at} from {begin} to {begin + length}", message[begin : begin + length]

    def _signs(self, drawn: random.Random) -> tuple[str, str]:
        chosen = drawn.sample(range(len(SIGNS)), drawn.choice((1, 2, 3)))
        return f"signs {chosen}", "".join(SIGNS[at] for at in chosen)

    def _mixed(self, drawn: random.Random) -> tuple[str, str]:
        parts = [each(drawn) for each in (self._signs, self._crossed, self._fragment)]
        drawn.shuffle(parts)
        return " + ".join(recipe for recipe, _ in parts), " ".join(piece for _, piece in parts)


def _all_alternatives() -> list[str]:
    """Return what every alternative of every expression on people's text matches, each once."""
    patterns = [each.pattern for each in anchored_and_bounded()] + [each.pattern for each in linear_ones()]
    return sorted(set().union(*(alternatives(as_python(each)) for each in patterns)))


def as_python(pattern: str) -> str:
    """Return an expression with Python's words for what only RE2 has, as far as its alternatives need them."""
    plain = _POINT.sub(lambda found: re.escape(chr(int(found[1], 16))), pattern)
    return _CATEGORY.sub("a", plain.replace("(?i)", "").replace("(?m)", ""))


def _messages(files: Iterable[Path]) -> Iterator[str]:
    for file in files:
        with file.open(encoding="utf-8") as lines:
            for line in lines:
                yield from _strings(json.loads(line))


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        if len(value) > _NAME:
            yield value
    elif isinstance(value, dict | list):
        for each in value.values() if isinstance(value, dict) else value:
            yield from _strings(each)
