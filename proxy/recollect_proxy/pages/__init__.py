"""The pages under `/memory/ui`: people see, correct and erase their memory; administrators look at the same, and people are told.

Rendered here, without a build. Never: SQL, a chat.
"""

from recollect_proxy.pages.application import pages

__all__ = ["pages"]
