"""Profiles: ``from sitecrawl.settings import *`` and what differs, one module each."""
