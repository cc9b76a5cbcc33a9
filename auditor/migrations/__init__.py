"""Migrations: rules as data over the uses of a consumer; a rule takes the place of the core findings it explains."""

from __future__ import annotations

from auditor.migrations.choosing import outsiders, packs_for
from auditor.migrations.dispatching import by_name
from auditor.migrations.engine import Migrations

__all__ = ["Migrations", "by_name", "outsiders", "packs_for"]
