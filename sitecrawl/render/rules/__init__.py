"""Word lists of the rendering rules."""
