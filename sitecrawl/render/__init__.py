"""Pages that exist only after their scripts have run, loaded in a real browser."""
