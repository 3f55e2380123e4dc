"""What `python -m worlds` does, a command a module; these put agents and worlds together, as entry points may."""
