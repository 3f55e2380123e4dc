"""Calendars as an ordinary MCP server over SQLite: what an outside tool server of one's own may look like.

It knows nothing of Envcurate. `python -m examples.meetings_server` speaks MCP over stdio.
"""
