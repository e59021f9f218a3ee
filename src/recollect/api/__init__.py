"""The memory API as data: its JSON, its queries, its failures, and the table of its operations.

The JSON is in `memories`, `people`, `requests_and_health` (health, figures, reports, explanations) and `mcp_tool_arguments`. The
proxy answers by it, the client asks by it; the export and agents' tools take its shapes. Read `endpoint_table` first.
"""
