from lib import Base


class Mine(Base):
    @property
    def ready(self):  # expect[invalid-method-override]
        return True

    def size(self):  # expect[invalid-method-override]
        return 1

    async def load(self, path):  # expect[invalid-method-override]
        return path

    def save(self, path):  # expect[invalid-method-override]
        print(path)

    def stays(self):  # ok: a method as before
        return 1

    def steps(self):  # ok: either form gives an asynchronous generator
        return iter(())

    def handed(self, path):  # ok: what the base returned was awaited before
        return path


class Other(Base):
    def stays(self, *args):  # ok: takes what the base takes
        return 1
