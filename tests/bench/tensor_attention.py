# SPDX-License-Identifier: Apache-2.0
"""PyTorch's side of `bench attention`; tests/bench/tensor_attention.h says what the tensors are. Results and gradients are
allocated by each run, for neither has a form that is given them."""
import torch


def prepare(word, t):
    """The call that is timed, or None: no such operator. A mask is turned round and a gradient's forward pass run here."""
    kind, *parts = word.split("_")
    if kind != "attention":
        return None
    attention = torch.nn.functional.scaled_dot_product_attention  # old versions have none
    options = {"is_causal": "causal" in parts}
    if t[0].shape[1] != t[1].shape[1]:
        options["enable_gqa"] = True
    masks = [x for x in t if x.dtype == torch.bool]
    if masks:
        options["attn_mask"] = masks[0].logical_not()
    if "backward" not in parts:
        return lambda t: attention(t[0], t[1], t[2], **options)
    inputs = [x.requires_grad_() for x in t[:3]]
    with torch.enable_grad():
        result = attention(*inputs, **options)
    return lambda t: torch.autograd.grad(result, inputs, t[3], retain_graph=True)
