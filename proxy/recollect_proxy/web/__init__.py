"""What every part that answers a request shares: ASGI's types, headers, paths and error answers. No memory, no settings.

Read ``asgi`` first.
"""
