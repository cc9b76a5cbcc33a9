from lib import Worker


class Silent(Worker):
    def warm_up(self) -> None:  # expect[invalid-method-override]
        print("warm")

    def matched(self, request):  # expect[invalid-method-override]
        return 1, False

    def load(self):  # ok: it may still return nothing
        print("loaded")

    def close(self):  # ok: the base says nothing of what it returns
        print("closed")


class Told(Worker):
    def warm_up(self):  # ok: it returns what is asked for
        return 1.5

    def matched(self, request):  # ok: whatever the base returns
        return super().matched(request)


class Raising(Worker):
    def warm_up(self):  # ok: it never returns
        raise NotImplementedError
