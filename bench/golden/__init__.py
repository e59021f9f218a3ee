"""Compares the memories that questions are given with an earlier record: a regression test of recall over real data."""
