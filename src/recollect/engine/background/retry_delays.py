"""How long the background waits before it tries an exchange or a model again. Pure."""

from datetime import timedelta

RETRY_DELAYS = (timedelta(seconds=1), timedelta(seconds=5), timedelta(seconds=30))
"""How long a failed exchange waits before its second, third, ... try; the last one counts on."""

OWN_FAULT_DELAYS = (
    timedelta(minutes=1),
    timedelta(minutes=10),
    timedelta(hours=1),
    timedelta(hours=6),
    timedelta(days=1),
)
"""The delays before an exchange is tried again that failed for a reason of its own. After the last one, nothing that
costs tokens is tried."""

MODEL_DELAY = timedelta(hours=1)
"""When to ask again for a model that a server does not have: it may have been installed there."""

LIST_DELAY = timedelta(hours=1)
"""When to look again whether a full list of waiting memories has room; a decision of the person's is noticed at once."""
