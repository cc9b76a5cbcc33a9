"""Models with one field more."""

from pydantic import BaseModel, ConfigDict, Field


class Model(BaseModel):
    x: int = 0
    gone: int = 0


class Strict(BaseModel):
    model_config = ConfigDict(extra="forbid")
    x: int = 0
    gone: int = 0


class Keeps(BaseModel):
    model_config = ConfigDict(extra="allow")
    x: int = 0
    gone: int = 0


class Alias(BaseModel):
    x: int = Field(alias="xx")


class Own(BaseModel):
    x: int

    def __init__(self, x, gone=1, **kw):
        super().__init__(x=x, **kw)
