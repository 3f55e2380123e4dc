"""Rounds of checks, their findings, and the pages and API that show them."""
