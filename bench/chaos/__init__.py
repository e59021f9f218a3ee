"""Measures the costs of faults around Recollect: chats, memories, seconds."""
