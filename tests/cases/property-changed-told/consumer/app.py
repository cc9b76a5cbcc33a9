import lib

lib.now().stamp + 5  # expect[property-changed]
lib.now().floor()  # ok: a method as before
lib.now().naive  # expect[unresolved-attribute]
lib.now().extra  # ok: nothing says that it was ever there
lib.thing().stamp  # ok: neither release says what this is
