"""The process around the engine, for every host: its log, locks, deadlines, memory and imports.

A module has one function or class each, and knows nothing of memories. Read ``logs`` and ``deadline`` first.
"""
