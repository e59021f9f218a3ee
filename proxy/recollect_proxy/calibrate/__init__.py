"""Measures the gate of recall on an operator's own data, for whatever embedder they have."""

from recollect_proxy.calibrate.command import calibrate

__all__ = ["calibrate"]
