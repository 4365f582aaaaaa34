"""Other engines, each in an environment of its own, asked the same questions as Memdown."""
