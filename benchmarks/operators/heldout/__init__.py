"""Operators that nothing may be fitted to: they only measure."""
