from lib import settings


class Store:
    rows = 1


class FastStore:
    columns = 1


if settings.LIB_FAST_STORE:
    Store = FastStore
