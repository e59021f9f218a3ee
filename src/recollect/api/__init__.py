"""The memory API as data: its JSON (`memories`, `people`, `insights`), its queries, its failures, and the table of its operations.

The proxy answers by it, the client asks by it; the export and agents' tools take its shapes. Read `operations` first.
"""
