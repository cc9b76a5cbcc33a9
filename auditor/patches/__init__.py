"""Patch files: written by the auditor, read and applied by anyone, without libcst, griffe or jinja2."""
