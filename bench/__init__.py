"""Measures Recollect: its recall, its formation, its costs. It is not shipped. README.md explains its programs."""
