"""What people see on a terminal: safe text, the summary of a scan, and its live progress."""
