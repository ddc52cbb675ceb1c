"""User agents of browsers, for a site of your own that answers nobody else."""

from sitecrawl.settings import *  # noqa: F403

SITECRAWL_PROFILE = "browserlike"
SITECRAWL_BROWSER_USER_AGENTS = True
