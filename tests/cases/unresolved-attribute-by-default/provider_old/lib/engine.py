from lib import settings


class Engine:
    core = 1


class Client:
    tokenizer = "words"

    @classmethod
    def from_settings(cls, given: dict) -> "Client":
        chosen = cls
        if settings.LIB_NEW_ENGINE:
            from lib.newer import Client as NewClient

            chosen = NewClient
        return chosen.make(given)

    @classmethod
    def make(cls, given: dict) -> "Client":
        return cls()


if settings.LIB_NEW_ENGINE:
    from lib.newer import Engine as NewEngine

    Engine = NewEngine
