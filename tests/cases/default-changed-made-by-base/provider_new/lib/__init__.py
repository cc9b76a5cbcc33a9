from dataclasses import dataclass


class Config:
    def __init_subclass__(cls, **kwargs):
        super().__init_subclass__(**kwargs)
        cls = dataclass(cls, repr=False)
        made = cls.__init__

        def __init__(self, *args, rows=1, **rest):
            made(self, *args, **{k: v for k, v in rest.items() if k in cls.__annotations__})

        cls.__init__ = __init__


class Cache(Config):
    size: int = 1
    eager: bool = True


class Registered:
    known = []

    def __init_subclass__(cls):
        cls.known.append(cls)


class Plain(Registered):
    def __init__(self, rows):
        self.rows = rows
