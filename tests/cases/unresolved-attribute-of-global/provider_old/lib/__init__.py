class Store:
    def first(self):
        return 1

    def all(self):
        return []


def open_store() -> Store:
    return Store()
