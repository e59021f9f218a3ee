"""Long-term memory for chat: the engine. It never knows who calls it."""

__version__ = "0.1.0"
