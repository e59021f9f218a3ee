"""Identifies the user of a request. An ordered list of modes is asked, and the first that applies decides.

If that mode rejects the request, no later mode is asked.
"""
