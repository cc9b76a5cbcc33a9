from dataclasses import dataclass, field


@dataclass
class Inner:
    length: int = 8
    size: int = 1
    start: int = 0
    chunked: bool = field(init=False)


@dataclass
class Config:
    inner: Inner = field(default_factory=Inner)
