"""How requests are sent."""
