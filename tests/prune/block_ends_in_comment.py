import acme

def f():
    if hasattr(acme, "fast"):
        acme.fast()
        # that was fast
    else:
        # slow
        acme.slow()
    print()

def g():
    if hasattr(acme, "fast"):
        acme.fast()
        # that was fast

def h():
    if not hasattr(acme, "fast"):
        acme.slow()
# --- becomes
import acme

def f():
    acme.fast()
    # that was fast
    print()

def g():
    acme.fast()
    # that was fast

def h():
    pass
