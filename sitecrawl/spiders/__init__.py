"""The spiders: they sequence stages and parse nothing."""
