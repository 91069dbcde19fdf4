# SPDX-License-Identifier: Apache-2.0
"""A language model that writes on device npu and on device cpu: RMSNorm, rotary places, grouped heads, a cache of keys and values.

decoding.py [--full] [--threads N]: from the same weights both devices write greedily, and must write the same tokens. Along
that text the chances that top-k and top-p leave are compared, and what each device then draws must be among them. Prints the
shortest time per token of both, in turns. --full takes a model of 25 million weights, in f32 and bfloat16, on one thread and two.
"""
import argparse
import os
import subprocess
import sys
import time

arguments = argparse.ArgumentParser()
arguments.add_argument("--full", action="store_true")
arguments.add_argument("--threads", type=int)
options = arguments.parse_args()
os.environ.setdefault("TASK_QUEUE_ENABLE", "0")
if options.threads:
    os.environ["ACLNN_CPU_THREADS"] = os.environ["OMP_NUM_THREADS"] = str(options.threads)

import networks
import torch
import torch_npu  # noqa: F401

if options.threads:
    torch.set_num_threads(options.threads)
torch.npu.matmul.allow_hf32 = False
PROMPT = 8
TOP_K, TOP_P = 40, 0.9
SIZES = {  # words, width, layers, heads, heads of keys, places
    False: (256, 64, 2, 4, 2, 32),
    True: (8192, 512, 8, 8, 4, 256),
}


def top_k(scores):
    least = scores.topk(TOP_K, -1).values[:, -1:]
    return scores.masked_fill(scores < least, float("-inf")).softmax(-1)


def top_p(scores):
    ordered, places = scores.sort(-1, descending=True)
    chances = ordered.softmax(-1)
    beyond = chances.cumsum(-1) - chances > TOP_P
    kept = chances.masked_fill(beyond, 0.0)
    return torch.zeros_like(chances).scatter(-1, places, kept / kept.sum(-1, keepdim=True))


class Writer:
    """One model on one device, token after token."""

    def __init__(self, device, kind, choose):
        torch.manual_seed(0)
        self.model = networks.Decoder(*SIZES[options.full]).to(kind).to(device).eval()
        self.device, self.choose = device, choose
        self.cache, self.shortest = self.model.cache(1), float("inf")

    def token(self, ids, at):
        """The chances of what follows, and the token that is chosen; ids: all that is new, at: the place of its first."""
        begun = time.perf_counter()
        ids = torch.tensor([ids], device=self.device)
        scores = self.model(ids, torch.arange(at, at + ids.shape[1], device=self.device), self.cache).float()
        chances = self.choose(scores) if self.choose else scores
        chosen = torch.multinomial(chances, 1) if self.choose else scores.argmax(-1, keepdim=True)
        chosen = chosen.item()
        if ids.shape[1] == 1:
            self.shortest = min(self.shortest, time.perf_counter() - begun)
        return chances.cpu(), chosen


@torch.no_grad()
def compare(name, kind, choose):
    torch.manual_seed(1)
    words, places = SIZES[options.full][0], SIZES[options.full][5]
    writers = [Writer(device, kind, choose) for device in ("cpu", "npu")]
    # In a half type scores are equal more often, and a few of the forty at the edge change their places.
    limit = 1e-4 if kind == torch.float32 else 0.1
    text, at, apart, wrong, same = torch.randint(0, words, (PROMPT,)).tolist(), 0, 0.0, 0, 0
    while at + len(text) < places:
        (chances, chosen), (own_chances, own_chosen) = (writer.token(text, at) for writer in writers)
        if choose:  # two that are equal but for rounding may change their places at the edge
            apart = max(apart, (chances - own_chances).abs().sum().item() / 2)
            wrong += own_chances[0, own_chosen].item() == 0
        else:
            apart = max(apart, ((chances - own_chances).abs().max() / chances.abs().max()).item())
            wrong += chosen != own_chosen and kind == torch.float32
        same += chosen == own_chosen
        at, text = at + len(text), [chosen]
    is_right = wrong == 0 and apart <= limit
    times = [writer.shortest * 1e3 for writer in writers]
    print(f"{name}, {torch.get_num_threads()} threads: {at - PROMPT + 1} tokens, {same} the same")
    print(f"  cpu {times[0]:.2f} ms a token, npu {times[1]:.2f} ms")
    print(f"  {'right' if is_right else 'WRONG'}: {'chances' if choose else 'scores'} at most {apart:.1e} apart; "
          f"time {times[1] / times[0]:.2f} of device cpu's", flush=True)
    return is_right


def main():
    if options.full and not options.threads:
        words = [sys.executable, "-W", "ignore", __file__, "--full"]
        return max(subprocess.run([*words, f"--threads={threads}"], check=False).returncode for threads in (1, 2))
    failed = 0
    for kind in [torch.float32, torch.bfloat16] if options.full else [torch.float32]:
        for how, choose in {"greedy": None, "top-k": top_k, "top-p": top_p}.items():
            failed += not compare(f"decoding, {how}, {str(kind)[6:]}", kind, choose)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
