import importlib


def asked():
    try:
        return importlib.import_module("lib.worker")  # expect[unresolved-string]
    except ImportError:
        return None


def moved():
    try:
        return importlib.import_module("lib.worker")  # expect[unresolved-string]
    finally:
        print("done")
