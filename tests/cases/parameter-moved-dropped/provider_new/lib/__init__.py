"""The same models with one field less, and another alias."""

from pydantic import BaseModel, ConfigDict, Field


class Model(BaseModel):
    x: int = 0


class Strict(BaseModel):
    model_config = ConfigDict(extra="forbid")
    x: int = 0


class Keeps(BaseModel):
    model_config = ConfigDict(extra="allow")
    x: int = 0


class Alias(BaseModel):
    x: int = Field(alias="xy")


class Own(BaseModel):
    x: int

    def __init__(self, x, **kw):
        super().__init__(x=x, **kw)
