"""One scan: what its components share, its life cycle, its database, its frontier.

* :mod:`~sitecrawl.scan.scan`: the typed :class:`Scan` object that components share;
* :mod:`~sitecrawl.scan.lifecycle`: the extension that begins and ends the scan's record;
* :mod:`~sitecrawl.scan.database`: the store, used off the event loop;
* :mod:`~sitecrawl.scan.frontier`: the pages that the crawl is to visit;
* :mod:`~sitecrawl.scan.robots`: the robots.txt of every authority;
* :mod:`~sitecrawl.scan.counters`, :mod:`~sitecrawl.scan.summary`: what was found.
"""
