"""What a running proxy says about itself: health, probes and metrics.

``health_check`` asks the store, ``probes`` and ``exposition`` show its answer and the counters. Read ``exposition`` first.
"""
