"""How politely a host is asked: pure decisions and figures, told the time by their callers."""
