"""Patch files: written by the auditor, read and applied by anyone, without libcst or jinja2."""
