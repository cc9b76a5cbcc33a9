"""The meaning of terms in one set of releases: names, members, types, calls."""
