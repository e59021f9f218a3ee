"""Imports people's memories and chats from other products, and restores an export of Recollect's own.

`openwebui.py` and `other_products.py` turn the items of each product into the format of `common_format.py`; `importer.py` takes that format. Begin with `import_command.py`.
"""
