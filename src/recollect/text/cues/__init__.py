"""Finds phrases that ask for a kind of recall, or for a change of the memory. Read ``phrases`` first; each module has its table as JSON."""
