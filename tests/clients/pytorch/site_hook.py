# SPDX-License-Identifier: Apache-2.0
"""The sitecustomize.py of the client's environment: before torch_npu is loaded, allocator_keys.cpp is."""
import ctypes
import importlib.abc
import pathlib
import sys


class BeforeTorchNpu(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path, target=None):
        if name == "torch_npu":
            ctypes.CDLL(str(pathlib.Path(__file__).with_name("liballocator_keys.so")))
        return None


sys.meta_path.insert(0, BeforeTorchNpu())
