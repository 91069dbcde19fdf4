# SPDX-License-Identifier: Apache-2.0
"""collective_torch.py FOLDER SHARE: torch.distributed's gloo backend in `bench collective`, a rank (RANK, WORLD_SIZE), as collective_rank.c."""
import os
import sys
import time

import torch
import torch.distributed as dist

SIZES = ((4 << 10, 1000), (256 << 10, 200), (64 << 20, 25))  # as collective_sizes.h
FEWEST = 2

folder, share = sys.argv[1], float(sys.argv[2])
torch.set_num_threads(1)
dist.init_process_group("gloo", init_method=f"file://{folder}/torch", rank=int(os.environ["RANK"]), world_size=int(os.environ["WORLD_SIZE"]))
for size, usual in SIZES:
    data, best = torch.zeros(size // 4), 1e9
    for _ in range(max(FEWEST, int(usual * share))):
        dist.barrier()
        begun = time.perf_counter()
        dist.all_reduce(data)
        best = min(best, time.perf_counter() - begun)
    if dist.get_rank() == 0:
        print("torch", size, f"{best:.9f}", flush=True)
dist.barrier()
dist.destroy_process_group()
