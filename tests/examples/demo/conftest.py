"""The same operator as the bench's, and the same server that is there already."""

from tests.bench.conftest import operator_settings, ready_server
from tests.recollect_proxy.conftest import sigterm_as_in_a_process

__all__ = ["operator_settings", "ready_server", "sigterm_as_in_a_process"]
