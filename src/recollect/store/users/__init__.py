"""User data apart from memories and messages: settings, usage, profile, projects, teams, events; export and erasure.

Read ``settings_and_profiles`` first, then ``user_erasure``: it lists every table that has a user's rows.
"""

from recollect.store.users.events import Events
from recollect.store.users.portability import Portability
from recollect.store.users.projects_and_teams import Projects, Teams
from recollect.store.users.settings_and_profiles import AdminReadLog, Profiles, UsageLog, UserSettings

__all__ = [
    "AdminReadLog",
    "Events",
    "Portability",
    "Profiles",
    "Projects",
    "Teams",
    "UsageLog",
    "UserSettings",
]
