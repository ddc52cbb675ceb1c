"""The stages of the waterfall: each finds URLs in its own way and knows nothing of the others."""
