"""The API and the dashboard: they authenticate, call services and show what these say."""
