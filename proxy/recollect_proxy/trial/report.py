"""Words a trial for a terminal of 80 columns. Pure. Never: runs it."""

from collections.abc import Iterator, Sequence
from statistics import mean

from recollect_proxy.store_commands.printing import on_a_terminal
from recollect_proxy.trial.judgement import Judgement

FAULTLESS, SILENT, CARELESS = 40, 15, 11
"""How many messages come out right if a model answers without a fault, finds nothing, or takes each sentence for a statement."""

GOOD, USABLE = 34, 26
_WIDTH = 80
_HEADINGS = ("", "turns", "right", "kept", "missed", "invented", "seconds a turn")
_WIDTHS = (16, 6, 6, 8, 7, 9, 15)


def report(judgements: Sequence[Judgement]) -> Iterator[str]:
    """Yield the lines: a table by sort, the faults, and one line of advice."""
    yield _row(_HEADINGS)
    for sort in dict.fromkeys(each.labelled.sort for each in judgements):
        yield _row(_figures(sort, [each for each in judgements if each.labelled.sort == sort]))
    yield _row(_figures("all", judgements))
    yield from _faults(judgements)
    yield ""
    yield _advice(sum(each.is_right for each in judgements), len(judgements))


def _figures(name: str, judgements: Sequence[Judgement]) -> tuple[str, ...]:
    kept = sum(len(each.kept) for each in judgements)
    missed = sum(len(each.missed) for each in judgements)
    return (
        name,
        str(len(judgements)),
        str(sum(each.is_right for each in judgements)),
        f"{kept}/{kept + missed}",
        str(missed),
        str(sum(len(each.invented) for each in judgements)),
        f"{mean(each.seconds for each in judgements):.1f}",
    )


def _faults(judgements: Sequence[Judgement]) -> Iterator[str]:
    faulty = [each for each in judgements if not each.is_right]
    if faulty:
        yield ""
    for each in faulty:
        told = [] if each.is_readable else [("unreadable", "the answer has no form that can be read")]
        told += [("missed", text) for text in each.missed] + [("invented", text) for text in each.invented]
        for verb, text in told:
            yield _cut(f"{each.labelled.id:<16}  {verb:<10}  {on_a_terminal(' '.join(text.split()))}")


def _advice(right: int, turns: int) -> str:
    if right >= GOOD:
        advice = "this model extracts well enough."
    elif right >= USABLE:
        advice = "usable; people will correct it often."
    else:
        advice = "name a larger model."
    return f"{right} of {turns} right (faultless {FAULTLESS}, silent {SILENT}, careless {CARELESS}): {advice}"


def _row(cells: Sequence[str]) -> str:
    first, *others = zip(cells, _WIDTHS, strict=True)
    return f"{first[0]:<{first[1]}}" + "".join(f"{cell:>{width}}" for cell, width in others)


def _cut(line: str) -> str:
    return line if len(line) <= _WIDTH else f"{line[: _WIDTH - 3]}..."
