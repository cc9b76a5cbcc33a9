"""Everything is defined here."""


class Settings: ...


class Text: ...


def check(function):
    return function


def parse(kind, value):
    return kind(value)
