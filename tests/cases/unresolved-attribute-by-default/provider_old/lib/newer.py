class Engine:
    kernel = 1


class Client:
    words = 1

    @classmethod
    def make(cls, given: dict) -> "Client":
        return cls()
