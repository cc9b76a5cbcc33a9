class Store:
    def first(self):
        return 1


def open_store() -> Store:
    return Store()
