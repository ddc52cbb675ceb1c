"""Reads: one module per topic, each function one question to the database."""
