# SPDX-License-Identifier: Apache-2.0
"""A PyTorch contender's side of the conversation that tests/bench/conversation.h describes: a request a line on stdin, an
answer a line on what was stdout. Imported before torch, for what a library prints must not enter the conversation."""
import json
import os
import sys

pipe = os.fdopen(os.dup(1), "w")
os.dup2(2, 1)


def say(message):
    print(json.dumps(message), file=pipe, flush=True)


def converse(answer):
    """answer: takes a request and returns what is answered to it; what it raises is a refusal."""
    import torch

    torch.set_num_threads(int(os.environ.get("OMP_NUM_THREADS", "1")))
    torch.set_grad_enabled(False)
    say({"name": "PyTorch", "version": torch.__version__})
    for line in sys.stdin:
        try:
            say({"ok": True, **answer(json.loads(line))})
        except Exception as error:
            text = str(error).strip().splitlines()
            say({"ok": False, "why": text[0] if text else type(error).__name__})
