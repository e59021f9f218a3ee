"""ASGI's types, headers, paths and error answers, for every part that answers a request. No memory, no settings.

Read ``asgi`` first.
"""
