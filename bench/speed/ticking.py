"""Calls back at an even pace of microseconds, which the event loop's own timers, of a millisecond, can't.

Linux's timerfd(2), through ctypes: Python has it only since 3.13. Never: the callback.
"""

import ctypes
import os
from asyncio import get_running_loop
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import CLOCK_MONOTONIC

_NANOSECONDS = 1_000_000_000
_NON_BLOCKING = os.O_NONBLOCK
_AT_A_TIME = 1
"""``TFD_TIMER_ABSTIME``."""


class _Moment(ctypes.Structure):
    _fields_ = (("seconds", ctypes.c_long), ("nanoseconds", ctypes.c_long))


class _Pace(ctypes.Structure):
    _fields_ = (("interval", _Moment), ("first", _Moment))


@contextmanager
def ticking(began: int, period: float, tick: Callable[[], None]) -> Iterator[None]:
    """Call ``tick`` at ``began`` and every ``period`` seconds after it, once for several periods if it was kept from it.

    ``began`` is in nanoseconds of the monotonic clock.
    """
    system = ctypes.CDLL(None, use_errno=True)
    timer = system.timerfd_create(CLOCK_MONOTONIC, _NON_BLOCKING)
    if timer < 0:
        raise OSError(ctypes.get_errno(), "timerfd_create")
    loop = get_running_loop()

    def expired() -> None:
        os.read(timer, 8)
        tick()

    pace = _Pace(
        *(_Moment(*divmod(each, _NANOSECONDS)) for each in (max(1, round(period * _NANOSECONDS)), began))
    )
    try:
        if system.timerfd_settime(timer, _AT_A_TIME, ctypes.byref(pace), None) != 0:
            raise OSError(ctypes.get_errno(), "timerfd_settime")
        loop.add_reader(timer, expired)
        yield
    finally:
        loop.remove_reader(timer)
        os.close(timer)
