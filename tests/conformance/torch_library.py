# SPDX-License-Identifier: Apache-2.0
"""The built libraries over ctypes, called with PyTorch's tensors."""
import ctypes
import os

import torch

ACL_TYPES = {torch.float32: 0, torch.float16: 1, torch.int8: 2, torch.int32: 3, torch.uint8: 4, torch.int16: 6,
             torch.int64: 9, torch.float64: 11, torch.bool: 12, torch.bfloat16: 27}
NCHW, NHWC, ND, NDHWC, NCDHW, NCL = 0, 1, 2, 27, 30, 47
BY_RANK = {3: NCL, 4: NCHW, 5: NCDHW}


class Refused(Exception):
    pass


class Tensor:
    """An argument of a format of its own; a view of NHWC or NDHWC is already in that order."""

    def __init__(self, view, form):
        self.view, self.form = view, form


class Bools(list):
    """An argument that becomes an aclBoolArray."""


def storage_elements(view):
    """The length of the memory below a view, in the view's elements."""
    memory = view.untyped_storage() if hasattr(view, "untyped_storage") else view.storage()  # PyTorch before 2.0
    return memory.nbytes() // view.element_size()


class Library:
    def __init__(self, folder):
        names = ["libascendcl.so", "libnnopbase.so", "libopapi.so"]
        self.parts = [ctypes.CDLL(os.path.join(folder, name), mode=ctypes.RTLD_GLOBAL) for name in names]
        void = ctypes.c_void_p
        self.create_tensor = self.function("aclCreateTensor", void)
        self.create_ints = self.function("aclCreateIntArray", void)
        self.create_bools = self.function("aclCreateBoolArray", void)
        self.destroy_tensor = self.function("aclDestroyTensor")
        self.destroy_ints = self.function("aclDestroyIntArray")
        self.destroy_bools = self.function("aclDestroyBoolArray")
        self.synchronize = self.function("aclrtSynchronizeStream")
        self.message = self.function("aclGetRecentErrMsg", ctypes.c_char_p)
        self.stream = void()
        for code in (self.function("aclInit")(None), self.function("aclrtSetDevice")(0),
                     self.function("aclrtCreateStream")(ctypes.byref(self.stream))):
            assert code == 0, self.text()

    def has(self, name):
        return any(hasattr(part, name) for part in self.parts)

    def function(self, name, result=ctypes.c_int32):
        found = next(getattr(part, name) for part in self.parts if hasattr(part, name))
        found.restype = result
        return found

    def text(self):
        return (self.message() or b"").decode()

    def tensor(self, view, form):
        """form: the aclFormat; for NHWC and NDHWC the view is already in that order."""
        sizes = (ctypes.c_int64 * view.dim())(*view.shape)
        strides = (ctypes.c_int64 * view.dim())(*view.stride())
        storage = (ctypes.c_int64 * 1)(storage_elements(view))
        start = view.data_ptr() - view.storage_offset() * view.element_size()
        return ctypes.c_void_p(self.create_tensor(
            sizes, ctypes.c_uint64(view.dim()), ACL_TYPES[view.dtype], strides,
            ctypes.c_int64(view.storage_offset()), form, storage, ctypes.c_uint64(1), ctypes.c_void_p(start)))

    @staticmethod
    def array(create, values, entries):
        return ctypes.c_void_p(create(values, ctypes.c_uint64(len(entries))))

    def call(self, name, arguments, form):
        """Both phases. Tensors become descriptors, lists arrays, None NULL; others are ctypes values."""
        made, passed = [], []

        def pass_made(destroy, handle):
            made.append((destroy, handle))
            passed.append(handle)

        for argument in arguments:
            if isinstance(argument, torch.Tensor):
                pass_made(self.destroy_tensor, self.tensor(argument, form))
            elif isinstance(argument, Tensor):
                pass_made(self.destroy_tensor, self.tensor(argument.view, argument.form))
            elif isinstance(argument, Bools):
                values = (ctypes.c_bool * len(argument))(*argument)
                pass_made(self.destroy_bools, self.array(self.create_bools, values, argument))
            elif isinstance(argument, (list, tuple)):
                values = (ctypes.c_int64 * max(len(argument), 1))(*argument)
                pass_made(self.destroy_ints, self.array(self.create_ints, values, argument))
            else:
                passed.append(argument)
        size, executor = ctypes.c_uint64(), ctypes.c_void_p()
        status = self.function(name + "GetWorkspaceSize")(*passed, ctypes.byref(size), ctypes.byref(executor))
        if status == 0:
            workspace = torch.full((size.value + 64,), 255, dtype=torch.uint8)
            address = ctypes.c_void_p((workspace.data_ptr() + 63) // 64 * 64 if size.value else None)
            status = self.function(name)(address, size, executor, self.stream)
        if status == 0:
            status = self.synchronize(self.stream)
        for destroy, what in made:
            destroy(what)
        if status != 0:
            raise Refused(f"{status}: {self.text()}")


def boolean(value):
    return ctypes.c_bool(value)


def int64(value):
    return ctypes.c_int64(value)


def int8(value):
    return ctypes.c_int8(value)
