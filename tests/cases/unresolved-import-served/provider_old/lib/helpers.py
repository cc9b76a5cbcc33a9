def lazy_import(namespace, aliases):
    namespace["__getattr__"] = lambda name: aliases[name]
