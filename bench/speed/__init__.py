"""Measures what Recollect costs: time, memory, and what hostile texts and crashes do to others. Never: what is recalled."""
