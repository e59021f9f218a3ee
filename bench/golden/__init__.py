"""Compares what questions are given with what they were given before: a regression test of recall over real data. Never: a score."""
