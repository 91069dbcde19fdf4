# SPDX-License-Identifier: Apache-2.0
"""cuda_names.py SITE_PACKAGES: lets PyPI's torch, which is the CUDA build, be imported where nothing of CUDA is.

The build names gigabytes of libraries that a machine without such a card never calls. In their place this makes libraries
of the same names, next to torch's own, whose functions all return 100: "no device" in CUDA's runtime and driver. Names and
versions are read from torch's libraries; binutils and a C compiler are needed. Libraries that are there already stay.
"""
import pathlib
import re
import subprocess
import sys
import tempfile

CUDA = re.compile(r"lib(cu|nv|nccl)[A-Za-z_]*\.so\.\d+$")
TEXTS = ("cudaGetErrorString", "cudaGetErrorName", "cufftGetErrorString", "cusparseGetErrorString", "cudnnGetErrorString",
         "ncclGetErrorString", "ncclGetLastError", "cublasGetStatusString", "nvrtcGetErrorString", "cusparseGetErrorName")


def read(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def version_names(library):
    """{version: file} of what a library needs of others."""
    file, found = None, {}
    for line in read("readelf", "-VW", library).splitlines():
        if match := re.search(r"File: (\S+)", line):
            file = match[1]
        elif match := re.search(r"Name: (\S+)\s+Flags", line):
            if file and "Rev" not in line:
                found[match[1]] = file
    return found


def main(site):
    folder = pathlib.Path(site) / "torch" / "lib"
    libraries = sorted(folder.glob("*.so")) + sorted((folder.parent).glob("_C*.so"))
    needed, wanted, defined = set(), {}, set()
    for library in libraries:
        needed.update(name for name in re.findall(r"NEEDED.*\[(.*)\]", read("readelf", "-dW", library)) if CUDA.match(name))
        files = version_names(library)
        for line in read("nm", "-D", library).splitlines():
            words = line.split()
            name, _, version = words[-1].partition("@")
            version = version.lstrip("@")
            if words[-2] not in ("U", "w"):
                defined.add(name)
            elif CUDA.match(files.get(version, "")):
                wanted[name] = (files[version], version)
            elif not version and words[-2] == "U":
                wanted.setdefault(name, (None, None))
    cuda = re.compile(r"(_*cu|nccl|nv|__cuda|_ZN?K?\d*nv)")
    names = {name: where for name, where in wanted.items() if name not in defined and cuda.match(name)}
    nvshmem = [name for name in names if name.startswith("nv")]
    print(f"{len(names)} functions of {len(needed)} libraries")
    for soname in sorted(needed):
        if (folder / soname).exists():
            continue
        versions = {}
        for name, (file, version) in names.items():
            if file == soname:
                versions.setdefault(version, []).append(name)
            elif file is None and soname.startswith("libcudart"):
                versions.setdefault(None, []).append(name)  # without a version: any library will do
        build(folder / soname, versions)


def build(path, versions):
    with tempfile.TemporaryDirectory() as scratch:
        source, script = pathlib.Path(scratch, "names.c"), pathlib.Path(scratch, "names.map")
        body, nodes = [], []
        for version, names in sorted(versions.items(), key=lambda item: str(item[0])):
            for name in names:
                if name in TEXTS:
                    body.append(f'const char *{name}(void) {{ return "there is no CUDA here"; }}')
                else:
                    body.append(f"long {name}(void) {{ return 100; }}")
            if version:
                nodes.append(f"{version} {{ global: {' '.join(name + ';' for name in names)} }};")
        source.write_text("\n".join(body) + "\nint no_cuda_here;\n")
        script.write_text("\n".join(nodes))
        command = ["cc", "-shared", "-fPIC", "-w", "-fno-builtin", "-O1", f"-Wl,-soname,{path.name}", str(source), "-o", str(path)]
        if nodes:
            command.append(f"-Wl,--version-script={script}")
        subprocess.run(command, check=True)


if __name__ == "__main__":
    main(sys.argv[1])
