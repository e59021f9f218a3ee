"""Adapters for frameworks: a file each, to copy. They need the framework and httpx, and nothing of Recollect."""
