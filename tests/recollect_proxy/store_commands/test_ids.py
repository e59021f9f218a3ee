"""A command takes an id by any part of its beginning or end that only one has."""

from uuid import UUID

import pytest
import typer

from recollect_proxy.store_commands.running_commands import part_of_id, whole_chat, whole_id

ONE = UUID("01980f6e-52f2-7d68-9d3f-0b6c2f6f2a10")
TWO = UUID("01980f6e-52f2-7d68-9d3f-0b6c2f6f2a1b")
OTHER = UUID("01990000-52f2-7d68-9d3f-0b6c2f6faaaa")
CHATS = ("monday", "monday-2", "tuesday")


@pytest.mark.parametrize(
    ("part", "meant"),
    [
        ("2f6f2a10", ONE),
        ("01990000-52", OTHER),
        ("0199000052F2".lower(), OTHER),
        (str(ONE), ONE),
        ("ffffffff-ffff-7fff-bfff-ffffffffffff", UUID("ffffffff-ffff-7fff-bfff-ffffffffffff")),
    ],
)
def test_a_part_that_one_id_alone_has_means_it(part: str, meant: UUID) -> None:
    assert whole_id(part, [ONE, TWO, OTHER], "memory") == meant


@pytest.mark.parametrize(
    ("part", "said"),
    [
        ("01980f6e", f"01980f6e is ambiguous:\n  {ONE}\n  {TWO}\n"),
        ("abcd", "No memory has an id that begins or ends with abcd.\n"),
    ],
)
def test_a_part_of_several_or_of_none_is_refused(
    capsys: pytest.CaptureFixture[str], part: str, said: str
) -> None:
    with pytest.raises(typer.Exit) as ended:
        whole_id(part, [ONE, TWO, OTHER], "memory")

    assert (ended.value.exit_code, capsys.readouterr().err) == (2, said)


@pytest.mark.parametrize("given", ["the cat", "abc", "%", "x" * 8])
def test_what_no_id_can_have_is_refused(capsys: pytest.CaptureFixture[str], given: str) -> None:
    with pytest.raises(typer.Exit):
        part_of_id(given)

    assert "is no id" in capsys.readouterr().err


@pytest.mark.parametrize(("part", "meant"), [("monday", "monday"), ("tu", "tuesday"), ("friday", "friday")])
def test_a_chat_is_meant_by_its_id_or_the_beginning_that_it_alone_has(part: str, meant: str) -> None:
    assert whole_chat(part, CHATS) == meant


def test_the_beginning_of_several_chats_is_refused() -> None:
    with pytest.raises(typer.Exit):
        whole_chat("mon", CHATS)
