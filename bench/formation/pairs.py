"""Measures whether structure can tell a statement told again in other words from one that only looks like it.

    python -m bench.formation.pairs MODELS

``pairs.jsonl`` has forty pairs with hints in five languages, written for this by one author, half of them kept apart: twenty say the
same in other words, twenty are near but different. MODELS is the folder with the second embedder's model. A bar is read off the half
``tune`` so that no different pair is merged, and applied to ``check``. The cosine of the contents is the baseline.
"""

import asyncio
import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from recollect.models.embedders.multilingual_e5 import MultilingualE5Embedder
from recollect.text.comparison.vetoes import ComparedStatement, veto

PAIRS = Path(__file__).with_name("pairs.jsonl")
SIGNALS = ("contents", "contents with topics", "topics", "questions")


async def signals_of(pair: Mapping[str, Any], embedder: MultilingualE5Embedder) -> dict[str, float]:
    """Return the cosines of a pair by signal; of several topics or questions the mean of each one's nearest."""
    sides = [pair["one"], pair["other"]]
    texts = [
        [[each["content"]] for each in sides],
        [["; ".join((each["content"], *each["topics"]))] for each in sides],
        [each["topics"] for each in sides],
        [each["questions"] for each in sides],
    ]
    found = {}
    for name, (one, other) in zip(SIGNALS, texts, strict=True):
        cosines: NDArray[np.float32] = (
            np.stack(await embedder.embed(one)) @ np.stack(await embedder.embed(other)).T
        )
        found[name] = float((cosines.max(0).mean() + cosines.max(1).mean()) / 2)
    return found


def is_vetoed(pair: Mapping[str, Any]) -> bool:
    """Return whether a number, a date, a name, a denial or a word speaks against the pair, in either order."""
    one, other = (ComparedStatement(pair[side]["content"]) for side in ("one", "other"))
    return (veto(one, other) or veto(other, one)) is not None


async def measure(models: Path) -> None:
    """Print what each signal would merge."""
    embedder = MultilingualE5Embedder(cache_dir=models)
    await embedder.load()
    pairs = [json.loads(line) for line in PAIRS.read_text("utf-8").splitlines()]
    told = [(each, await signals_of(each, embedder), is_vetoed(each)) for each in pairs]
    for name in SIGNALS:
        same = [found[name] for each, found, _ in told if each["same"]]
        different = [found[name] for each, found, _ in told if not each["same"]]
        above = np.mean([one > other for one in same for other in different])
        tune = [each for each in told if each[0]["half"] == "tune"]
        bar = max(found[name] for each, found, vetoed in tune if not (each["same"] or vetoed))
        merged = {
            (half, is_same): sum(
                found[name] > bar and not vetoed
                for each, found, vetoed in told
                if (each["half"], each["same"]) == (half, is_same)
            )
            for half in ("tune", "check")
            for is_same in (True, False)
        }
        print(
            f"{name}: bar {bar:.3f}; merged rightly {merged['tune', True]} and {merged['check', True]} of 10 and 10,"
            f" wrongly {merged['check', False]} of 10 kept apart; a repetition is nearer than a different pair in {above:.0%}"
        )


if __name__ == "__main__":
    asyncio.run(measure(Path(sys.argv[1])))
