"""Forms people's lives, told in chats, with a model that answers rightly.

A person's chats have labelled memories, which are the extraction model's answers. The model can relate a label to an earlier memory
only if it was shown that memory. In the end the store should hold what the labels want kept, in their words or
in those of a label that repeats them, and nothing of what was superseded or forgotten.
It asks no questions, and does not know how a real model would answer.
"""

import difflib
import itertools
from collections import Counter
from collections.abc import Sequence
from datetime import datetime, timedelta

from bench.engines import Bench
from bench.figures import percent
from bench.lives.life import ALIKE, Label, Life, LifeScript, exchanged, is_alike, plain
from recollect.model import Memory

_BETWEEN_TURNS = timedelta(seconds=90)


def score(life: Life, stored: Sequence[Memory]) -> Counter[str]:
    """Compare the stored memories with the labels: how many should be there and are, should be gone and stay, have a wrong date."""
    contents = [each.content for each in stored]

    def is_there(*wordings: str) -> bool:
        return any(is_alike(wording, content) for wording in wordings for content in contents)

    dates = [
        (each.event_at.date().isoformat() if each.event_at else None, label.event_date)
        for each in stored
        if (label := _label_of(each.content, life.labels)) is not None
    ]
    return Counter(
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


async def replay(bench: Bench, life: Life) -> Counter[str]:
    """Let a person live, and score the store."""
    bench.clock.restart()
    bench.scripts[life.person] = LifeScript(life)
    calls, characters, prompts = bench.asked.calls, bench.asked.characters, Counter[str]()
    for chat in life.chats:
        at, before, last = datetime.fromisoformat(chat["at"]), list[dict[str, str]](), b""
        for number, turn in enumerate(chat["turns"]):
            said, replied = exchanged(turn)
            key, said_at = f"{chat['chat']}-{number}", at + number * _BETWEEN_TURNS
            sent = await bench.say(
                life.person, chat["chat"], key, [*before, said], turn["assistant"], said_at
            )
            prompts += prompt_kept(last, sent)
            last = sent
            before += [said, replied]
            await bench.form(life.person)
        await bench.form(life.person)
    found = score(life, await bench.stored(life.person))
    calls, characters = bench.asked.calls - calls, bench.asked.characters - characters
    return found + prompts + Counter(calls=calls, characters=characters)


def prompt_kept(before: bytes, after: bytes) -> Counter[str]:
    """Return the size of a request's messages, and how much of them its chat's next begins with: what a cache of prompts sees."""
    messages = before.removesuffix(b"]}")
    again = itertools.takewhile(lambda pair: pair[0] == pair[1], zip(messages, after, strict=False))
    return Counter(sent=len(messages), sent_again=sum(1 for _ in again))


def figures(scores: Sequence[Counter[str]]) -> str:
    """Return the shares of kept and superseded labels, over all of these people."""
    of = sum(scores, Counter[str]())
    gone = of["superseded"] - of["stayed"]
    parts = [
        f"kept {of['kept']}/{of['wanted']} = {percent(of['kept'], of['wanted'], 1)}",
        f"superseded gone {gone}/{of['superseded']} = {percent(gone, of['superseded'], 1)}",
        f"dates wrong {of['wrong_dates']}/{of['dated']}",
        f"stored {of['stored']}",
        f"calls {of['calls']}, {of['characters']} characters",
        f"prompts sent again with the next turn {percent(of['sent_again'], of['sent'], 1)}",
    ]
    return "; ".join(parts)
