"""Health, probes and metrics of a running proxy.

``health_check`` asks the store and answers the probes; ``exposition`` shows the counters. Read ``exposition`` first.
"""
