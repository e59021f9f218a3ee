"""Measures Recollect: what it recalls, what it forms, what it costs. It is not shipped. README.md explains its programs."""
