"""Measures the costs of Recollect: time, memory, disk."""
