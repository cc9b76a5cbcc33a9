"""How the provider itself calls a symbol: the reference for what calls lack, and for what overrides must take."""

from auditor.canonical.callsites import passes_keyword
from auditor.canonical.deriving import Derived, derive

__all__ = ["Derived", "derive", "passes_keyword"]
