"""Settings are shown as they are, also beyond the limits of a change."""

from recollect.api.people import UserFlags
from recollect.model import Flags
from recollect_proxy.web.values import shaped


def test_a_setting_from_the_start_may_be_beyond_the_limits_of_a_change() -> None:
    effective = Flags(
        max_memory_tokens=200_000, max_history_tokens=200_000, session_cap=2_000_000, user_cap=2_000_000
    )

    shown = shaped({"own": Flags(), "effective": effective}, UserFlags).effective

    assert (shown.max_memory_tokens, shown.max_history_tokens) == (200_000, 200_000)
    assert (shown.session_cap, shown.user_cap) == (2_000_000, 2_000_000)
