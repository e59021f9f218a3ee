"""The same operator as the bench's."""

from tests.recollect_proxy.bench.conftest import operator_settings

__all__ = ["operator_settings"]
