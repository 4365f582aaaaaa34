"""Benchmarks of Memdown against the machine's limits; never part of the tests."""
