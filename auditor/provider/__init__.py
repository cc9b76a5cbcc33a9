"""The outside -> snapshots: what a release offers, read out of its sources and never run."""
