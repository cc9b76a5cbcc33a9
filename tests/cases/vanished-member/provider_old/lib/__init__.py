"""Models that embed tokens."""
