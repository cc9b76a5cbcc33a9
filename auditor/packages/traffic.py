"""What was received from the network: bytes and requests, counted per release and in all."""

from __future__ import annotations

import threading


class Traffic:
    """Counters that threads may add to; what is added also counts in `parent`."""

    __slots__ = ("_lock", "parent", "received", "requests")

    def __init__(self, parent: Traffic | None = None) -> None:
        self.received = 0
        self.requests = 0
        self.parent = parent
        self._lock = threading.Lock()

    def add(self, *, received: int = 0, requests: int = 0) -> None:
        """Count bytes (as they came over the wire) and requests."""
        with self._lock:
            self.received += received
            self.requests += requests
        if self.parent is not None:
            self.parent.add(received=received, requests=requests)

    def __repr__(self) -> str:
        return f"Traffic(received={self.received}, requests={self.requests})"
