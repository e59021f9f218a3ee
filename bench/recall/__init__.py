"""Measures Recollect on labelled conversations, through the proxy as it is served."""
