from dataclasses import InitVar, dataclass

from pydantic import Field


@dataclass
class Inner:
    length: InitVar[int]
    size: int = 1
    start: InitVar[int] = 0

    @classmethod
    def default(cls):
        return cls(8)

    def __post_init__(self, length: int, start: int) -> None:
        self.size = length + start


@dataclass
class Config:
    inner: Inner = Field(default_factory=Inner.default)
