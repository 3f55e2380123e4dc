"""Changes of components: see `benchmarks/mutation.py`."""
