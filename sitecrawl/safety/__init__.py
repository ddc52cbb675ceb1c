"""What a scan may connect to."""
