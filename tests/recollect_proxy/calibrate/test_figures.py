"""Percentiles and intervals of shares are those of the textbooks."""

import pytest

from recollect_proxy.calibrate.figures import percentile, wilson


def test_percentiles_are_interpolated() -> None:
    assert percentile([1.0, 2.0, 3.0, 4.0], 50) == 2.5
    assert percentile(list(range(101)), 95) == 95.0
    assert percentile([], 50) is None


def test_the_interval_of_a_share_is_wilsons() -> None:
    assert wilson(0, 0) is None
    assert wilson(5, 10) == pytest.approx((0.23659, 0.76341), abs=1e-4)
    assert wilson(0, 10) == pytest.approx((0.0, 0.27753), abs=1e-4)
    assert wilson(10, 10) == pytest.approx((0.72247, 1.0), abs=1e-4)
