"""Exports one user's data as one JSON document, and restores it. docs/reference/export.md describes the document."""

from recollect_proxy.takeout.export_file import Restored, export_document, restore_file, written_export

__all__ = ["Restored", "export_document", "restore_file", "written_export"]
