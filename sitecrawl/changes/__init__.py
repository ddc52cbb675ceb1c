"""What happened to a site between two scans, decided without a database: states, pairs, words."""
