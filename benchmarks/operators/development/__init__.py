"""Operators that checks, attribution and repair may be improved on."""
