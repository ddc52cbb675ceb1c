"""The bundled demo site: a small organisation's website, served on loopback without a network."""

from sitecrawl.demo.server import DemoServer

__all__ = ["DemoServer"]
