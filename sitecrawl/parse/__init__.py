"""Pure readers of what a site publishes: bytes in, columns out, no I/O."""
