"""How the provider itself calls a symbol: the reference for what calls lack, and for what overrides must take."""

from auditor.canonical.deriving import Derived, derive
from auditor.canonical.passing import passes_keyword

__all__ = ["Derived", "derive", "passes_keyword"]
