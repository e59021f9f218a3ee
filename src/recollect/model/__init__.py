"""The nouns of memory, as frozen values: each module's names are this package's.

It uses neither pydantic, SQL, JSON nor I/O. Times are timezone-aware; ids are UUIDs of version 7 (RFC 9562).
"""

from recollect.model.audit import *
from recollect.model.change import *
from recollect.model.chat import *
from recollect.model.enumerations import *
from recollect.model.listing import *
from recollect.model.memory import *
from recollect.model.recall import *
from recollect.model.runtime_settings import *
from recollect.model.scopes import *
from recollect.model.statistics import *
