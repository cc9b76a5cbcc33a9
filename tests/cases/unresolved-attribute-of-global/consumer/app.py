import os

from lib import open_store

if os.getenv("APP_LAZY", "1") == "1":
    store = None
else:
    store = open_store()


def connect():
    global store
    store = open_store()


def everything():
    store.first()  # ok: still there
    return store.all()  # expect[unresolved-attribute]
