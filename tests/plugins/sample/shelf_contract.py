"""What the author of a store runs: Memdown's own suite, on this store."""

from memdown_shelf import create

from memdown.testing.stores import StoreContract


class TestShelf(StoreContract):
    def make_store(self, folder):
        return create(agent="main", config={"shelf": str(folder)}, cache_entries=100)
