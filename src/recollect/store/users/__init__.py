"""User data apart from memories and messages: settings, usage, profile, kept answers; export and erasure.

Read ``settings`` first, then ``erasure``: it lists every table that has a user's rows.
"""

from recollect.store.users.answers import Answers
from recollect.store.users.events import Events
from recollect.store.users.feedback import Feedback
from recollect.store.users.portability import Portability
from recollect.store.users.profiles import Profiles
from recollect.store.users.projects import Projects
from recollect.store.users.settings import AdminReadLog, UsageLog, UserSettings
from recollect.store.users.teams import Teams

__all__ = [
    "AdminReadLog",
    "Answers",
    "Events",
    "Feedback",
    "Portability",
    "Profiles",
    "Projects",
    "Teams",
    "UsageLog",
    "UserSettings",
]
