"""What is wrong with a site: kinds of findings, how bad they are, and what to do."""
