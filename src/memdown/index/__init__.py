"""The index: kept in step with the files, stored by an engine, read from memory."""
