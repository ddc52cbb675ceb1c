"""The rules of classification as data: words of paths, slugs, structured data and languages."""
