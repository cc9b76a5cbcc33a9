"""Four classes."""


class Group:
    def __init__(self, *args): ...


class MultiCommand: ...


class BaseCommand: ...


class Moved: ...
