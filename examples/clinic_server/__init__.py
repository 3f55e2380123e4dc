"""The front desk of an outpatient clinic: an MCP server over SQLite."""
