"""A person of whom a file has statements tells them among those of a crowd, and is asked about their own alone."""

from pathlib import Path

import bench.lives
from bench.lives.reading import read_lives

FOLDER = Path(bench.lives.__file__).parent


def test_each_statement_of_a_person_and_their_crowd_is_told_once_with_its_hints() -> None:
    lives = read_lives([FOLDER / "names.jsonl", FOLDER / "names-fresh.jsonl"])

    assert [len(each.questions) for each in lives] == [10] * 6 + [6] * 3
    for life in lives:
        ids = [each.id for each in life.labels]
        own = {each for each in ids if ":" not in each}
        assert len(ids) == len(set(ids)) == len(life.chats)
        assert all({*each.must, *each.may} <= own for each in life.questions)
        assert all(each.hints["topics"] and each.evidence == each.content for each in life.labels)
        assert life.labels[0].turn == f"{life.chats[0]['chat']}-0"
