"""Health, probes and metrics of a running proxy.

``health_check`` asks the store, ``probes`` and ``exposition`` show its answer and the counters. Read ``exposition`` first.
"""
