import acme
from packaging.specifiers import SpecifierSet

if acme.__version__ in SpecifierSet(">=2"):

    class Runner(acme.Engine):
        """New."""

        def go(self): ...

else:

    class Runner:
        """Old."""


class Other:
    if hasattr(acme, "fast"):
        value = """
    kept as it is
"""

    else:
        value = None
# --- becomes
import acme

class Runner(acme.Engine):
    """New."""

    def go(self): ...


class Other:
    value = """
    kept as it is
"""
