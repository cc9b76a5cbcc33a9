"""api-audit: a static auditor of API drift, and a generator of verified patches, for Python."""

__version__ = "0.1.0"
