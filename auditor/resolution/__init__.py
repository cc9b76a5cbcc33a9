"""Arguments -> releases: opens the consumer, and of each provider the release to run on and the one known before."""

from __future__ import annotations

from auditor.resolution.consumer import open_consumer, open_store
from auditor.resolution.pairs import GIVEN, Pair, dropped, open_pairs, pair_of, stated

__all__ = ["GIVEN", "Pair", "dropped", "open_consumer", "open_pairs", "open_store", "pair_of", "stated"]
