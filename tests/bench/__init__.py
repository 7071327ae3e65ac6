"""Benchmarks: ours and its peer on the same data in one run. Each `bench_*.py` has a `main()`."""
