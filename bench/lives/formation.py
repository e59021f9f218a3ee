"""Forms people's lives, told in chats, with a model that answers rightly.

A person's chats have labelled memories, which are the extraction model's answers. The model can relate a label to an earlier memory
only if it was shown that memory. In the end the store should hold what the labels want kept, in their words or
in those of a label that repeats them, and nothing of what was superseded or forgotten.
Never: questions and recall, what a real model would answer.
"""

import difflib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from bench.figures import percent
from bench.lives.formed import Bench
from bench.lives.life import ALIKE, Label, Life, LifeScript, is_alike, plain
from recollect.model import Memory

_BETWEEN_TURNS = timedelta(seconds=90)


@dataclass(slots=True)
class Score:
    """The fates of a person's labels.

    Attributes:
        wanted: How many should be there in the end; ``kept`` are.
        superseded: How many should be gone as something took their place; ``stayed`` are there.
        dated: How many stored statements were compared by their dates; ``wrong_dates`` differ.
        stored: How many statements there are.
        calls: How often the model was asked, with so many ``characters``.
    """

    wanted: int = 0
    kept: int = 0
    superseded: int = 0
    stayed: int = 0
    dated: int = 0
    wrong_dates: int = 0
    stored: int = 0
    calls: int = 0
    characters: int = 0


def score(life: Life, stored: Sequence[Memory]) -> Score:
    """Compare the stored memories with the labels."""
    contents = [each.content for each in stored]

    def is_there(*wordings: str) -> bool:
        return any(is_alike(wording, content) for wording in wordings for content in contents)

    dates = [
        (each.event_at.date().isoformat() if each.event_at else None, label.event_date)
        for each in stored
        if (label := _label_of(each.content, life.labels)) is not None
    ]
    return Score(
        wanted=len(life.wanted),
        kept=sum(is_there(*life.wordings(each)) for each in life.wanted),
        superseded=len(life.superseded),
        stayed=sum(is_there(each.content) for each in life.superseded),
        dated=len(dates),
        wrong_dates=sum(kept != labelled for kept, labelled in dates),
        stored=len(stored),
    )


def _label_of(content: str, labels: Sequence[Label]) -> Label | None:
    """Return the label that a stored statement comes from: the one of that content, else the one most alike."""
    told = plain(content)
    same = [each for each in labels if plain(each.content) == told]
    if same:
        return same[-1]
    alike = [(difflib.SequenceMatcher(None, told, plain(each.content)).ratio(), each) for each in labels]
    ratio, best = max(alike, key=lambda pair: pair[0], default=(0.0, None))
    return best if ratio >= ALIKE else None


async def replay(bench: Bench, life: Life) -> Score:
    """Let a person live, and score the store."""
    bench.clock.restart()
    bench.inbox.forget()
    bench.scripts[life.person] = LifeScript(life)
    calls, characters = bench.asked.calls, bench.asked.characters
    for chat in life.chats:
        at = datetime.fromisoformat(chat["at"])
        before: list[dict[str, str]] = []
        for number, turn in enumerate(chat["turns"]):
            key = f"{chat['chat']}-{number}"
            said_at = at + number * _BETWEEN_TURNS
            await bench.say(life.person, chat["chat"], key, before, turn["user"], turn["assistant"], said_at)
            before += [
                {"role": "user", "content": turn["user"]},
                {"role": "assistant", "content": turn["assistant"]},
            ]
            await bench.form(life.person)
        await bench.form(life.person)
    result = score(life, await bench.stored(life.person))
    result.calls, result.characters = bench.asked.calls - calls, bench.asked.characters - characters
    return result


def figures(scores: Sequence[Score]) -> str:
    """Return the shares of kept and superseded labels, over all of these people."""
    names = Score.__dataclass_fields__
    of = Score(**{name: sum(getattr(each, name) for each in scores) for name in names})
    gone = of.superseded - of.stayed
    parts = [
        f"kept {of.kept}/{of.wanted} = {percent(of.kept, of.wanted, 1)}",
        f"superseded gone {gone}/{of.superseded} = {percent(gone, of.superseded, 1)}",
        f"dates wrong {of.wrong_dates}/{of.dated}",
        f"stored {of.stored}",
        f"calls {of.calls}, {of.characters} characters",
    ]
    return "; ".join(parts)
