"""Pages: every link that a page holds, with its context, and what the page says of itself."""
