"""A connector with two things to implement."""

from abc import ABC, abstractmethod


class Connector(ABC):
    @abstractmethod
    def send(self, data): ...

    @abstractmethod
    def close(self): ...
