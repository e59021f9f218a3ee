"""Texts of a length at which what is not read in linear time is never done."""

import pytest


def up_to(characters: int) -> pytest.MarkDecorator:
    """Give a test the ``length`` of its text: a tenth of that, and where slow tests run, that, too.

    At a tenth, what takes quadratic time is done in a hundredth of it: that is seen in the slow tests alone. What reads
    the whole length in a second or two is always given it.
    """
    return pytest.mark.parametrize(
        "length", [characters // 10, pytest.param(characters, marks=pytest.mark.slow)]
    )
