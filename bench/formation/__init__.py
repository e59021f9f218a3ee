"""Measures how good the memories are that are formed. Never: how they are formed."""
