"""Whether a question about earlier chats is given the right ones, and what merely sounds like one is given none.

    python -m bench last-chat [--english] [--misses]

Eleven chats of three weeks, without summaries, are replayed through a proxy; then sixty questions in ten languages are asked in
new chats. The questions were kept apart: no head was trained on them. A chat that one of them asks for by its topic is in that
language; with ``--english`` nearly all are in English.
"""

import argparse
import asyncio
import json
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from bench.lives.recall import prepare_anew
from bench.recall.dataset import read_conversations
from bench.recall.opening import open_replay, unhurried
from bench.recall.plan import plan
from recollect.engine import Prepared
from recollect.logs import configure_logging
from recollect_proxy.settings.proxy_settings import ProxySettings

_DATA = Path(__file__).with_name("last_chat_data")
_ASKED_AT = datetime(2026, 11, 27, 10, tzinfo=UTC)
_NOBODY = "http://127.0.0.1:9/v1"


@dataclass(frozen=True, slots=True)
class Given:
    """A question, the chats that it asks for, and those that its block has, newest first."""

    language: str
    text: str
    asks: str
    wanted: tuple[str, ...]
    chats: tuple[str, ...]
    tokens: int

    @property
    def is_right(self) -> bool:
        """Whether the block has all chats that are asked for; no chat if none is asked for."""
        return set(self.wanted) <= set(self.chats) and bool(self.chats) == bool(self.wanted)


async def ask_all(chats_file: str) -> list[Given]:
    """Replay the chats, and ask the questions."""
    settings = ProxySettings(upstream=_NOBODY)
    [conversation] = read_conversations(_DATA / chats_file)
    given = []
    async with open_replay(settings, **unhurried(settings)) as replay:
        await replay.play(conversation, plan(conversation), lambda: None)
        for number, line in enumerate((_DATA / "apart.jsonl").read_text("utf-8").splitlines()):
            asked = json.loads(line)
            messages = [{"role": "user", "content": asked["text"]}]
            prepared = await prepare_anew(
                replay.engine, replay.clock, conversation.id, f"q{number}", messages, _ASKED_AT
            )
            placed = prepared.placed if isinstance(prepared, Prepared) else None
            of_chats = (
                [each for each in prepared.included if each.chat] if isinstance(prepared, Prepared) else []
            )
            chats = dict.fromkeys((each.item.session_id or "").removeprefix("session-") for each in of_chats)
            given.append(
                Given(
                    asked["language"],
                    asked["text"],
                    asked["asks"] or "nothing",
                    tuple(asked["chats"]),
                    tuple(chats),
                    placed.block.tokens if placed and placed.block else 0,
                )
            )
    return given


def table(given: Sequence[Given]) -> str:
    """Return the shares that were right, by kind of question and by language, as a Markdown table."""
    groups: dict[str, list[Given]] = defaultdict(list)
    for each in given:
        groups["all that ask for chats" if each.wanted else "near misses, given none"].append(each)
        if each.wanted:
            groups[f"asks: {each.asks}"].append(each)
            groups[f"language: {each.language}"].append(each)
    rows = ["| | right |", "|---|---|"]
    rows += (
        f"| {name} | {sum(each.is_right for each in groups[name])}/{len(groups[name])} |"
        for name in sorted(groups)
    )
    others = sum(len({*each.chats} - {*each.wanted}) for each in given if each.wanted)
    rows.append(f"| other chats given with them | {others} |")
    tokens = sorted(each.tokens for each in given if each.chats)
    rows.append(f"| tokens of such a block, p50 | {tokens[len(tokens) // 2] if tokens else 0} |")
    return "\n".join(rows)


def main() -> None:
    """Run the bench."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--misses", action="store_true", help="print the questions that were not right")
    parser.add_argument("--english", action="store_true", help="ask other languages for chats in English")
    options = parser.parse_args()
    configure_logging("error")
    given = asyncio.run(ask_all("chats_english.jsonl" if options.english else "chats.jsonl"))
    print(table(given))
    if options.misses:
        for each in given:
            if not each.is_right:
                print(f"{each.asks}: {each.text}  wanted {each.wanted}, given {each.chats}")
