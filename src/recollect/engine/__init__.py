"""The engine: recalls for turns, logs messages, forms memories in the background. Never: who calls it."""

from recollect.engine.engine import Backends, Engine, Policy, Prepared, RecallOptions, system_clock

__all__ = ["Backends", "Engine", "Policy", "Prepared", "RecallOptions", "system_clock"]
