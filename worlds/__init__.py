"""Bring a bundle to life, act in it, judge it: pure Python, no Django, no database."""
