"""Measures how good the memories are that are formed."""
