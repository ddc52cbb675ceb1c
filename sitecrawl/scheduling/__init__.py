"""When a watched site is due, and which workers may run its scans (pure)."""
