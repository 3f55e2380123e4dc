"""Changes of components: see `benchmarks/faults/mutation.py`."""
