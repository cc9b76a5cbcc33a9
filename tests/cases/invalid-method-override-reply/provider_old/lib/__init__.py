class Worker:
    def warm_up(self) -> None:
        raise NotImplementedError

    def matched(self, request) -> tuple[int, bool]:
        return 0, False

    def load(self) -> None:
        return None

    def close(self):
        return None
