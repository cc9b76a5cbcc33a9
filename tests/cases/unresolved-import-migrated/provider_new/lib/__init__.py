"""What moved is served by a helper of another module, and what is gone is refused there."""

from ._migration import migrated

__getattr__ = migrated(__name__)
