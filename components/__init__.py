"""Domains, components, bodies, versions and environments in the database; loading, dumping, importing."""
