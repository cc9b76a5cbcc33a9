"""Facts about the standard library and a few outside bases that no snapshot holds: what they return and mean."""

from __future__ import annotations

CALLED_METHOD = {
    "torch.nn.Module": "forward",
    "torch.nn.modules.module.Module": "forward",
    "torch.autograd.Function": "forward",
    "keras.layers.Layer": "call",
    "tensorflow.keras.layers.Layer": "call",
    "flax.linen.Module": "__call__",
}
"""Outside base class -> the method that calling an instance runs."""

SAME_AS_ARGUMENT = frozenset(
    {
        "copy.copy",
        "copy.deepcopy",
        "dataclasses.replace",
        "attr.evolve",
        "attrs.evolve",
        "msgspec.structs.replace",
        "contextlib.closing",
        "functools.lru_cache",
        "functools.cache",
        "builtins.reversed",
        "weakref.proxy",
        "typing.no_type_check",
        "typing.final",
    }
)
"""Functions whose result is (a copy of, or a wrapper like) their first argument."""

CONTAINER_OF_ARGUMENT = {
    "builtins.list": "list",
    "builtins.sorted": "list",
    "builtins.set": "set",
    "builtins.frozenset": "set",
    "builtins.tuple": "sequence",
    "builtins.iter": "iterator",
    "builtins.filter": "iterator",
    "itertools.islice": "iterator",
    "itertools.chain": "iterator",
    "collections.deque": "list",
}
"""Functions that gather the elements of their first argument; `filter` those of its last."""

ELEMENT_OF_ARGUMENT = frozenset({"builtins.next", "builtins.anext", "builtins.max", "builtins.min"})

SEQUENCE_TYPES = frozenset(
    {
        "list", "List", "Sequence", "MutableSequence", "Iterable", "Iterator", "Collection", "set", "Set", "frozenset",
        "FrozenSet", "AbstractSet", "MutableSet", "deque", "Deque", "Generator", "Reversible", "KeysView", "ValuesView",
    }
)  # fmt: skip
ASYNC_TYPES = frozenset({"AsyncGenerator", "AsyncIterator", "AsyncIterable"})
MAPPING_TYPES = frozenset(
    {"dict", "Dict", "Mapping", "MutableMapping", "defaultdict", "DefaultDict", "OrderedDict", "ChainMap", "Counter"}
)
AWAITABLE_TYPES = frozenset({"Awaitable", "Coroutine", "Future", "Task"})
CONTEXT_TYPES = frozenset({"ContextManager", "AbstractContextManager"})
ASYNC_CONTEXT_TYPES = frozenset({"AsyncContextManager", "AbstractAsyncContextManager"})
TRANSPARENT_TYPES = frozenset(
    {"Annotated", "ClassVar", "Final", "Required", "NotRequired", "ReadOnly", "InitVar", "SkipValidation", "LazyProxy"}
)
TYPE_MODULES = (
    "typing.", "typing_extensions.", "collections.", "builtins.", "contextlib.", "asyncio.", "concurrent.",
    "dataclasses.", "queue.",
)  # fmt: skip

CONTEXT_DECORATORS = ("contextmanager", "asynccontextmanager")
