from lib.engine import Client

__all__ = ["Client"]
