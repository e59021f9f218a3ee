"""Tries a model: forty labelled messages, and how well it extracts memories from them."""
