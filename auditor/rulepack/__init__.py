"""Rule packs as data: what a rule may say, and how folders of rules are read, checked and kept."""

from __future__ import annotations

from auditor.rulepack.loader import Pack, built_in_rules, load_packs, read_fields, read_rule, rule_files
from auditor.rulepack.schema import Rule, schema_text

__all__ = ["Pack", "Rule", "built_in_rules", "load_packs", "read_fields", "read_rule", "rule_files", "schema_text"]
