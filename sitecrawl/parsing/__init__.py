"""What the parsers of robots.txt, sitemaps and pages share: decoding, and defects of documents."""
