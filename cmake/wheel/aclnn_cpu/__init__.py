# SPDX-License-Identifier: Apache-2.0
"""Lets torch_npu, PyTorch's Ascend backend, run on this machine's CPUs.

    import aclnn_cpu   # before torch
    import torch

or, without a change, `python -m aclnn_cpu script.py`. Importing sets the variables of the Ascend toolkit to the tree in this
package and loads its libraries, so that torch_npu finds them by name whatever LD_LIBRARY_PATH says.
"""
import ctypes
import importlib.abc
import os
import pathlib
import sys

tree = pathlib.Path(__file__).with_name("tree")


def _set_variables():
    for name in ("ASCEND_TOOLKIT_HOME", "ASCEND_HOME_PATH", "ASCEND_AICPU_PATH"):
        os.environ[name] = str(tree)
    os.environ["ASCEND_OPP_PATH"] = str(tree / "opp")
    os.environ["TOOLCHAIN_HOME"] = str(tree / "toolkit")
    os.environ["PATH"] = os.pathsep.join((str(tree / "tools" / "profiler" / "bin"), os.environ.get("PATH", os.defpath)))


def _load_libraries():
    """A library that needs another of them comes after it: those that fail are tried again."""
    waiting = sorted((tree / "lib64").glob("lib*.so"))
    while waiting:
        failed = []
        for library in waiting:
            try:
                ctypes.CDLL(str(library), mode=ctypes.RTLD_GLOBAL)
            except OSError as error:
                failed.append((library, error))
        if len(failed) == len(waiting):
            raise ImportError(f"{failed[0][0]}: {failed[0][1]}")
        waiting = [library for library, _ in failed]


class _BeforeTorchNpu(importlib.abc.MetaPathFinder):
    """torch's CUDA build and torch_npu register the same names of settings with c10, which takes each once; the library that
    is loaded between the two forgets the first registration."""

    def find_spec(self, name, path, target=None):
        if name == "torch_npu":
            sys.meta_path.remove(self)
            core = pathlib.Path(sys.modules["torch"].__file__).with_name("lib") / "libc10.so"
            ctypes.CDLL(str(core), mode=ctypes.RTLD_GLOBAL)
            ctypes.CDLL(str(pathlib.Path(__file__).with_name("liballocator_keys.so")))
        return None


if "torch_npu" in sys.modules:
    raise ImportError("import aclnn_cpu before torch: torch_npu has looked for its libraries already")
_set_variables()
_load_libraries()
sys.meta_path.insert(0, _BeforeTorchNpu())
