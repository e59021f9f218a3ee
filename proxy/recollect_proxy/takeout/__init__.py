"""All that is kept of one user as one JSON document, and back again. docs/export.md describes it."""

from recollect_proxy.takeout.reading import Restored, restore_file
from recollect_proxy.takeout.writing import export_document, written_export

__all__ = ["Restored", "export_document", "restore_file", "written_export"]
