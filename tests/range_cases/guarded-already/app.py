import inspect

try:
    from lib import load_path
except ImportError:
    from lib import load_file as load_path
from lib import Request

HAS_EOS = "eos" in inspect.signature(Request).parameters


def main():
    request = Request("a", eos=1) if HAS_EOS else Request("a")
    return request.told, load_path("b")
