"""The same operator as the bench's, and the same server that is there already."""

from tests.bench.conftest import operator_settings, ready_server

__all__ = ["operator_settings", "ready_server"]
