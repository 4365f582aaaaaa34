"""Files of our own: locks, private folders, points at which tests kill."""
