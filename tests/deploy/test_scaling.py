"""docs/explanation/scaling.md reckons rightly, with figures that the results of the benches have."""

import re
from pathlib import Path

REPOSITORY = Path(__file__).parents[2]
RESULTS = REPOSITORY / "bench" / "results"
PAGE = (REPOSITORY / "docs" / "explanation" / "scaling.md").read_text("utf-8")
SMALL = PAGE.split("## Ten thousand people\n", 1)[1].split("\n## ", 1)[0]
PROSE = " ".join(SMALL.split())


def cells(section: str, beginning: str) -> list[str]:
    """Return the cells of the row of a table that begins so, but the first."""
    [row] = [line for line in section.splitlines() if line.startswith(f"| {beginning}")]
    return [cell.strip(" *") for cell in row.strip("|").split("|")[1:]]


def number(cell: str) -> float:
    found = re.search(r"[\d,]*\.?\d+", cell)
    assert found is not None, cell
    return float(found[0].replace(",", ""))


def test_what_ten_thousand_people_take_follows_from_what_is_assumed() -> None:
    turns = [number(cell) for cell in cells(SMALL, "turns a day")]
    rates = [number(cell) for cell in cells(SMALL, "turns a second")]
    streams = [number(cell) for cell in cells(SMALL, "answers that stream")]
    parts = [number(cells(SMALL, each)[0]) for each in ("a recall", "the stream", "the forming")]
    [whole, _] = cells(SMALL, "**all in**")

    assert turns == [10_000 / 4 * 10, 10_000 * 20]
    assert rates == [round(turns[0] / 5 / 3600, 1), round(turns[1] / 5 / 3600)]
    assert streams == [round(each / 5 / 3600 * 15) for each in turns]
    assert number(whole) == sum(parts)
    assert f"**{turns[1] / 5 / 3600 * sum(parts) / 1000:.1f} cores**" in PROSE
    assert f"open {2 * 2 * (10 + 11)} at most" in PROSE


def test_the_disk_follows_from_the_bytes_of_a_row() -> None:
    memory, message = (number(cells(PAGE, f"**a {each}, all in**")[0]) for each in ("memory", "message"))
    a_day = 50_000 * message + round(25_000 / 3, -2) * memory

    assert f"{a_day * 365 / 1e9:.0f} GB a year" in PROSE
    assert f"that is {10_000 * (1000 * memory + 2000 * message) / 1e9:.0f} GB for all" in PROSE


def test_what_is_said_to_be_measured_was() -> None:
    tenths = re.findall(
        r"^\| [\d.]+ to [\d.]+ \| ([\d.]+) \| ([\d.]+) \|",
        (RESULTS / "soak.md").read_text("utf-8"),
        re.MULTILINE,
    )
    of_proxy, of_worker = tenths[9]

    assert f"{float(of_proxy):.0f} MiB a proxy and {float(of_worker):.0f} MiB a worker" in PROSE
    [of_streams] = re.findall(
        r"^\| Recollect, new questions \|.* ([\d.]+) \([\d. to]+\) \| 100 \| [\d. to()]+ \|$",
        (RESULTS / "bench.md").read_text("utf-8"),
        re.MULTILINE,
    )
    assert f"{of_streams} s for 1,000 tokens" in PROSE
    assert number(cells(SMALL, "the stream of 500 tokens")[0]) == round(float(of_streams) * 500 + 0.5)
