"""Divides."""

from lib import (
    cdiv,  # rounds up
    stays,
)


def main():
    return cdiv(3, 2), stays()
