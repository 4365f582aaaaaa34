"""Other engines that answer in place of the built-in index, and what happens when they cannot."""
