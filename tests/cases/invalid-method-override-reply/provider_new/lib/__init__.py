class Worker:
    def warm_up(self) -> float:
        raise NotImplementedError

    def matched(self, request) -> tuple[int, bool, str]:
        return 0, False, ""

    def load(self) -> int | None:
        return None

    def close(self):
        return 1
