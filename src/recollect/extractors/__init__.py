"""Extraction models, one module a backend. Never: the store."""
