"""A worker that others complete."""

from abc import ABC, abstractmethod


class Worker(ABC):
    @abstractmethod
    def load(self): ...
