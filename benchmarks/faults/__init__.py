"""The parts of the fault benchmark: what is planted, and how it is told whether that does harm."""
