# SPDX-License-Identifier: Apache-2.0
"""python -m aclnn_cpu script.py [argument...]: runs a script with device npu on this machine's CPUs."""
import runpy
import sys

if len(sys.argv) < 2:
    sys.exit(__doc__)
del sys.argv[0]
sys.path[0] = str(__import__("pathlib").Path(sys.argv[0]).resolve().parent)
runpy.run_path(sys.argv[0], run_name="__main__")
