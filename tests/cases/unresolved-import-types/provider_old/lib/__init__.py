"""Two classes."""


class Gone: ...


class Stays: ...
