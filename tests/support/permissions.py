"""File permissions that count for root as well: CI often runs as root, who may read what its modes forbid."""

import contextlib
import ctypes
import os
from collections.abc import Iterator
from typing import Final

_CAP_DAC_OVERRIDE: Final = 1
_CAP_DAC_READ_SEARCH: Final = 2
_VERSION_3: Final = 0x20080522  # of Linux's capget(2): two words of 32 capabilities each

_Words = ctypes.c_uint32 * 6
"""Effective, permitted and inheritable capabilities 0 to 31, then the same of 32 to 63."""


_Header = ctypes.c_uint32 * 2
"""The version, and the process that is meant (0: this thread)."""


@contextlib.contextmanager
def permissions_count() -> Iterator[None]:
    """Within this, a file of mode 0 cannot be read by anyone: root of Linux lays down what lets it read all files."""
    if os.geteuid() != 0:
        yield
        return
    before = _capabilities()
    after = _Words(*before)
    after[0] &= ~(1 << _CAP_DAC_OVERRIDE | 1 << _CAP_DAC_READ_SEARCH)
    _call("capset", after)
    try:
        yield
    finally:
        _call("capset", before)


def _capabilities() -> "ctypes.Array[ctypes.c_uint32]":
    words = _Words()
    _call("capget", words)
    return words


def _call(name: str, words: "ctypes.Array[ctypes.c_uint32]") -> None:
    function = getattr(ctypes.CDLL(None, use_errno=True), name)
    header = _Header(_VERSION_3, 0)
    if function(ctypes.byref(header), words) != 0:
        error = ctypes.get_errno()
        raise OSError(error, f"{name}: {os.strerror(error)}")
