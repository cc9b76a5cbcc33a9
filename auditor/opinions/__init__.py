"""A second opinion: a type checker over the consumer with either release on its path, and what only the new one brings.

The engine never depends on it: the checkers are optional, run as programs of their own, and only add to a report.
"""

from auditor.opinions.checkers import CHECKERS, Checker, Diagnostic, checker
from auditor.opinions.merging import merged
from auditor.opinions.sources import Offer, second_opinion

__all__ = ["CHECKERS", "Checker", "Diagnostic", "Offer", "checker", "merged", "second_opinion"]
