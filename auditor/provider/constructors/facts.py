"""Facts about outside libraries: which decorators, bases and field functions generate constructors, and how."""

from __future__ import annotations

import builtins

import msgspec

FIELD_FUNCTIONS: dict[str, tuple[str, ...]] = {
    "dataclasses.field": (),
    "pydantic.Field": ("default",),
    "pydantic.fields.Field": ("default",),
    "pydantic.fields.FieldInfo": ("default",),
    "pydantic.v1.Field": ("default",),
    "pydantic.v1.fields.Field": ("default",),
    "sqlmodel.Field": ("default",),
    "sqlmodel.main.Field": ("default",),
    "attr.ib": ("default",),
    "attr.attr": ("default",),
    "attr.attrib": ("default",),
    "attr._make.attrib": ("default",),
    "attr.field": (),
    "attrs.field": (),
    "attr._next_gen.field": (),
    "msgspec.field": (),
    "flax.struct.field": ("pytree_node",),
    "equinox.field": (),
}
"""Function that describes a field -> names of its positional parameters."""

FACTORIES = frozenset({"attr.Factory", "attrs.Factory", "attr._make.Factory"})
"""Wrappers that turn a default into a call."""

NO_DEFAULT = frozenset({"MISSING", "NOTHING", "NODEFAULT", "PydanticUndefined", "Undefined", "..."})
"""Last names of values that mean "required" when given as a field's default."""

DATACLASS = frozenset(
    {
        "dataclasses.dataclass",
        "flax.struct.dataclass",
        "marshmallow_dataclass.dataclass",
    }
)
PYDANTIC_DATACLASS = frozenset({"pydantic.dataclasses.dataclass", "pydantic.v1.dataclasses.dataclass"})

TRANSFORMS = frozenset({"typing.dataclass_transform", "typing_extensions.dataclass_transform"})
TRANSFORMED_BASES = frozenset({"equinox.Module", "flax.struct.PyTreeNode"})
"""Outside base classes whose subclasses become stdlib-like dataclasses."""


class AttrsStyle(msgspec.Struct, frozen=True):
    """Defaults of one of the class decorators of attrs."""

    auto_attribs: bool | None
    """Annotations are fields; None: they are unless an unannotated field is found."""
    by_mro: bool
    auto_detect: bool
    """A written `__init__` wins over the generated one."""
    force_kw_only: bool
    """`kw_only=True` covers inherited fields too."""


_OLD = AttrsStyle(auto_attribs=False, by_mro=False, auto_detect=False, force_kw_only=True)
_OLD_AUTO = AttrsStyle(auto_attribs=True, by_mro=False, auto_detect=False, force_kw_only=True)
_NEW = AttrsStyle(auto_attribs=None, by_mro=True, auto_detect=True, force_kw_only=False)

ATTRS: dict[str, AttrsStyle] = {
    **dict.fromkeys(("attr.s", "attr.attrs", "attr.attributes", "attr._make.attrs"), _OLD),
    "attr.dataclass": _OLD_AUTO,
    **{
        f"{module}.{name}": _NEW
        for module in ("attr", "attrs", "attr._next_gen")
        for name in ("define", "mutable", "frozen")
    },
}

PYDANTIC_V1 = frozenset(
    {
        "pydantic.v1.BaseModel",
        "pydantic.v1.main.BaseModel",
        "pydantic.v1.generics.GenericModel",
        "pydantic.generics.GenericModel",
        "pydantic.v1.BaseSettings",
        "pydantic.v1.env_settings.BaseSettings",
        "pydantic.BaseSettings",
        "pydantic.env_settings.BaseSettings",
    }
)
PYDANTIC_SETTINGS = frozenset(
    {
        "pydantic_settings.BaseSettings",
        "pydantic_settings.main.BaseSettings",
        "pydantic.v1.BaseSettings",
        "pydantic.v1.env_settings.BaseSettings",
        "pydantic.BaseSettings",
        "pydantic.env_settings.BaseSettings",
    }
)
PYDANTIC_ROOT = frozenset({"pydantic.RootModel", "pydantic.root_model.RootModel"})
PYDANTIC_MODEL = (
    frozenset({"pydantic.BaseModel", "pydantic.main.BaseModel", "sqlmodel.SQLModel", "sqlmodel.main.SQLModel"})
    | PYDANTIC_V1
    | PYDANTIC_SETTINGS
    | PYDANTIC_ROOT
)

PYDANTIC_V1_SIGNS = frozenset({"validator", "root_validator"})
"""Decorators that only make sense in code written for pydantic 1 ..."""
PYDANTIC_V1_CONFIG = frozenset(
    {"allow_population_by_field_name", "orm_mode", "allow_mutation", "fields", "smart_union"}
)
"""... and options of its `class Config`."""
PYDANTIC_V2_SIGNS = frozenset({"field_validator", "model_validator", "field_serializer", "model_serializer"})

SETTINGS_PARAMETERS = (
    "case_sensitive",
    "nested_model_default_partial_update",
    "env_prefix",
    "env_prefix_target",
    "env_file",
    "env_file_encoding",
    "env_file_depth",
    "env_ignore_empty",
    "env_nested_delimiter",
    "env_nested_max_split",
    "env_parse_none_str",
    "env_parse_enums",
    "cli_prog_name",
    "cli_parse_args",
    "cli_settings_source",
    "cli_parse_none_str",
    "cli_hide_none_type",
    "cli_avoid_json",
    "cli_enforce_required",
    "cli_use_class_docs_for_groups",
    "cli_show_env_vars",
    "cli_exit_on_error",
    "cli_prefix",
    "cli_flag_prefix_char",
    "cli_implicit_flags",
    "cli_ignore_unknown_args",
    "cli_kebab_case",
    "cli_shortcuts",
    "secrets_dir",
    "build_sources",
)
"""Options that the constructor of pydantic's settings takes besides the fields, with `_` in front."""

ALIAS_GENERATORS = {
    "pydantic.alias_generators.to_camel": "camel",
    "pydantic.alias_generators.to_pascal": "pascal",
}

MSGSPEC = frozenset({"msgspec.Struct"})
NAMED_TUPLE = frozenset({"typing.NamedTuple", "typing_extensions.NamedTuple"})
NAMED_TUPLE_FUNCTION = frozenset({"collections.namedtuple"})
TYPED_DICT = frozenset({"typing.TypedDict", "typing_extensions.TypedDict", "mypy_extensions.TypedDict"})
ENUM = frozenset(
    {f"enum.{name}" for name in ("Enum", "IntEnum", "StrEnum", "Flag", "IntFlag", "ReprEnum")} | {"strenum.StrEnum"}
)

EXCEPTIONS = {
    "ImportError": "*args, name=None, path=None",
    "ModuleNotFoundError": "*args, name=None, path=None",
    "AttributeError": "*args, name=None, obj=None",
    "NameError": "*args, name=None",
    "UnboundLocalError": "*args, name=None",
    "UnicodeDecodeError": "encoding, object, start, end, reason, /",
    "UnicodeEncodeError": "encoding, object, start, end, reason, /",
}
"""Builtin exceptions that take more than `*args`."""

SIGNATURES = {
    "torch.nn.Module": "",
    "torch.nn.modules.module.Module": "",
    "torch.nn.Sequential": "*args",
    "torch.nn.ModuleList": "modules=None",
    "torch.nn.ModuleDict": "modules=None",
    "torch.utils.data.Dataset": "",
    "torch.autograd.Function": "*args, **kwargs",
    "transformers.PretrainedConfig": "**kwargs",
    "transformers.configuration_utils.PretrainedConfig": "**kwargs",
    "dict": "*args, **kwargs",
    "collections.OrderedDict": "*args, **kwargs",
    "collections.defaultdict": "default_factory=None, /, *args, **kwargs",
    "collections.UserDict": "dict=None, /, **kwargs",
    "collections.UserList": "initlist=None",
    "list": "iterable=(), /",
    "set": "iterable=(), /",
    "frozenset": "iterable=(), /",
    "tuple": "iterable=(), /",
    "str": "object='', encoding='utf-8', errors='strict'",
    "int": "*args, **kwargs",
    "float": "x=0, /",
    "threading.Thread": "group=None, target=None, name=None, args=(), kwargs=None, *, daemon=None",
    "threading.local": "*args, **kwargs",
    "argparse.Action": (
        "option_strings, dest, nargs=None, const=None, default=None, type=None, choices=None, required=False, "
        "help=None, metavar=None"
    ),
    "argparse.Namespace": "**kwargs",
    "collections.deque": "iterable=(), maxlen=None",
    "json.JSONEncoder": (
        "*, skipkeys=False, ensure_ascii=True, check_circular=True, allow_nan=True, sort_keys=False, indent=None, "
        "separators=None, default=None"
    ),
    "logging.Logger": "name, level=0",
    "logging.Handler": "level=0",
    "logging.Filter": "name=''",
    "logging.Formatter": "fmt=None, datefmt=None, style='%', validate=True, *, defaults=None",
    "logging.LoggerAdapter": "logger, extra=None, merge_extra=False",
    "types.SimpleNamespace": "mapping_or_iterable=(), /, **kwargs",
    "ctypes.Structure": "*args, **kwargs",
    "ctypes.Union": "*args, **kwargs",
}
"""Constructors of common outside bases."""

NEUTRAL = frozenset({"object", "abc.ABC", "contextlib.ContextDecorator"})
NEUTRAL_PREFIXES = ("collections.abc.", "typing.", "typing_extensions.", "contextlib.Abstract", "numbers.")
"""Bases that neither define a constructor nor hold fields."""


ALIASES = {
    "typing.Dict": "dict",
    "typing.List": "list",
    "typing.Set": "set",
    "typing.FrozenSet": "frozenset",
    "typing.Tuple": "tuple",
    "typing.DefaultDict": "collections.defaultdict",
    "typing.OrderedDict": "collections.OrderedDict",
    "typing.Counter": "collections.Counter",
    "typing.ChainMap": "collections.ChainMap",
    "typing.Deque": "collections.deque",
}
"""Names in `typing` for classes that are real bases."""


def is_neutral(path: str) -> bool:
    """Whether an outside base leaves the constructor to the classes after it."""
    if path in NAMED_TUPLE or path in TYPED_DICT:
        return False
    return path in NEUTRAL or path.startswith(NEUTRAL_PREFIXES)


def is_fieldless(path: str) -> bool:
    """Whether an outside base certainly adds no fields to a dataclass-like subclass."""
    return is_neutral(path) or path in SIGNATURES or path in ENUM or is_exception(path)


def is_exception(path: str) -> bool:
    """Whether a path (without `builtins.`) is a builtin exception."""
    found = getattr(builtins, path, None)
    return isinstance(found, type) and issubclass(found, BaseException)
