"""The web page over a memory; `memdown serve` starts it."""
