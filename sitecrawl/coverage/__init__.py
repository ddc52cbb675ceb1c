"""How many pages a site has, estimated from what independent sources know of it."""
