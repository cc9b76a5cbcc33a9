"""One class."""


class Stays: ...
