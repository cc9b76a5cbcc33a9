"""A connector with one thing to implement."""

from abc import ABC, abstractmethod


class Connector(ABC):
    @abstractmethod
    def send(self, data): ...
