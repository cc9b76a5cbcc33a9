import unittest

import lib
import pytest


@pytest.mark.skipif(not hasattr(lib, "gone"), reason="too new")
def test_gone():
    lib.gone(1)  # ok: it does not run where there is none


@pytest.mark.skipif(hasattr(lib, "gone"), reason="too old")
def test_new():
    lib.other(1)  # expect[unresolved-attribute]


@pytest.mark.skipif("not hasattr(lib, 'gone')", reason="a condition as text")
def test_text():
    lib.gone(1)  # expect[unresolved-attribute]


@unittest.skipUnless(hasattr(lib, "gone"), "too new")
class TestGone(unittest.TestCase):
    def test_it(self):
        lib.gone(1)  # ok: it does not run where there is none


@unittest.skipIf(hasattr(lib, "gone"), "too old")
class TestNew(unittest.TestCase):
    def test_it(self):
        lib.other(1)  # expect[unresolved-attribute]
