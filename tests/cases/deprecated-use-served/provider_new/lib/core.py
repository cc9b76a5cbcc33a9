"""Where they stand."""


class _MultiCommand: ...


class _BaseCommand: ...


class Moved: ...
