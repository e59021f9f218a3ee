"""Phrases that tell what a message asks for. Read ``phrases`` first; each module has its table as JSON."""
