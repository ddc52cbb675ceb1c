"""Watches sites: schedule and jobs, changes, and telling people of them."""
