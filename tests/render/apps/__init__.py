"""Single-page applications built with real frameworks, and what is true of their routes."""
