"""Pure verdicts: from the answer to robots.txt, our name and a URL to allowed or not, and why."""
