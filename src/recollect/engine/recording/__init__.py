"""Writes exchanges to the log, in two phases, without their secrets. Begin with `recorder`."""
