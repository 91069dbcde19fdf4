# SPDX-License-Identifier: Apache-2.0
"""torch.distributed with backend "hccl": each process is a rank, on this machine.

ranks.py N [PATTERN...]: starts N processes; the checks whose names contain a pattern, or all. Collectives are compared with those of
torch's gloo backend on device cpu, in the same processes. Ends with 1 when a rank fails.
"""
import datetime
import os
import signal
import socket
import subprocess
import sys
import time

os.environ.setdefault("TASK_QUEUE_ENABLE", "0")
STEPS, LIMIT, KILL_LIMIT_S = 5, 1e-5, 30
IMAGES, PASSES = 8, 5  # of what is timed
TYPES = "float32 float64 float16 bfloat16 int64 int32 int16 int8 uint8".split()


# ---- the ranks --------------------------------------------------------------------------------------------------------------


def worker(patterns):
    import torch
    import torch.distributed as dist
    import torch_npu  # noqa: F401
    from torch import nn
    from torch.nn import functional

    rank, ranks = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
    torch.npu.set_device(int(os.environ["LOCAL_RANK"]) % torch.npu.device_count())
    torch.npu.conv.allow_hf32 = torch.npu.matmul.allow_hf32 = False
    dist.init_process_group("hccl", timeout=datetime.timedelta(seconds=120))
    gloo = dist.new_group(backend="gloo")

    def values(type_name, count, seed):
        """Small whole numbers: sums and products are exact in every type."""
        generator = torch.Generator().manual_seed(1000 * seed + rank)
        return torch.randint(0, 4, (count,), generator=generator).to(getattr(torch, type_name))

    def both(call, *tensors):
        """Runs call(group, tensors...) on both devices; what it returns must be equal."""
        on_npu = [t.npu() for t in tensors]
        wide = [t.int() if t.dtype == torch.int16 else t for t in tensors]  # torch's gloo has no int16
        got, wanted = call(None, *on_npu), call(gloo, *wide)
        got, wanted = ([x] if torch.is_tensor(x) else list(x) for x in (got, wanted))
        for i, (mine, theirs) in enumerate(zip(got, wanted, strict=True)):
            assert mine.device.type == "npu" and mine.dtype == tensors[0].dtype
            assert torch.equal(mine.cpu(), theirs.to(mine.dtype)), f"part {i}: {mine.cpu()[:8]} and with gloo {theirs[:8]}"

    def types(count=1031, without=()):
        for seed, name in enumerate(TYPES):
            if name not in without:
                yield name, values(name, count, seed)

    def empty(like, parts):
        return [torch.full_like(like, 9) for _ in range(parts)]

    def in_place(call, tensor):
        """For calls that change their tensor."""
        def on_copy(group, t):
            t = t.clone()
            call(group, t)
            return t
        both(on_copy, tensor)

    def all_reduce():
        for name, x in types(without=["float64"]):  # torch_npu's rule, as those below
            for op in (dist.ReduceOp.SUM, dist.ReduceOp.PRODUCT, dist.ReduceOp.MIN, dist.ReduceOp.MAX):
                in_place(lambda group, t, op=op: dist.all_reduce(t, op, group=group), x)
        for count in (1, 2, 3, 1 << 20):
            in_place(lambda group, t: dist.all_reduce(t, group=group), values("float32", count, count))
        x = values("float32", 64, 5)
        mean = x.npu()
        dist.all_reduce(mean, dist.ReduceOp.AVG)
        dist.all_reduce(x, group=gloo)
        assert torch.allclose(mean.cpu(), x / ranks)

    def reduce():
        for root in range(ranks):
            for name, x in types(without=["float64"]):
                def call(group, t, root=root):
                    t = t.clone()
                    dist.reduce(t, root, group=group)
                    return t if rank == root else torch.zeros_like(t)
                both(call, x)

    def broadcast():
        for root in range(ranks):
            for name, x in types():
                in_place(lambda group, t, root=root: dist.broadcast(t, root, group=group), x)
            flags = values("int64", 77, root) > 1
            in_place(lambda group, t, root=root: dist.broadcast(t, root, group=group), flags)

    def all_gather():
        for name, x in types():
            def call(group, t):
                out = empty(t, ranks)
                dist.all_gather(out, t, group=group)
                return out
            both(call, x)

            def into(group, t):
                out = t.repeat(ranks)
                dist.all_gather_into_tensor(out, t, group=group)
                return out
            both(into, x)
        # Uneven: torch_npu calls AllGatherV.
        parts = [torch.arange(r + 1, dtype=torch.float32) for r in range(ranks)]
        out = [torch.zeros(r + 1).npu() for r in range(ranks)]
        dist.all_gather(out, parts[rank].npu())
        assert all(torch.equal(a.cpu(), b) for a, b in zip(out, parts))

    def reduce_scatter():
        for name, x in types(ranks * 129, without=["float64", "uint8"]):
            for op in (dist.ReduceOp.SUM, dist.ReduceOp.MAX):
                whole = x.int() if x.dtype == torch.int16 else x.clone()
                dist.all_reduce(whole, op, group=gloo)
                whole = whole.to(x.dtype)
                out = torch.zeros(129, dtype=x.dtype).npu()
                dist.reduce_scatter_tensor(out, x.npu(), op)
                assert torch.equal(out.cpu(), whole.chunk(ranks)[rank]), name
                out.zero_()
                dist.reduce_scatter(out, list(x.npu().chunk(ranks)), op)
                assert torch.equal(out.cpu(), whole.chunk(ranks)[rank]), name

    def scatter_gather():
        for root in range(ranks):
            for name, x in types(ranks * 33):
                def scatter(group, t, root=root):
                    out = torch.zeros(33, dtype=t.dtype, device=t.device)
                    dist.scatter(out, list(t.chunk(ranks)) if rank == root else None, root, group=group)
                    return out
                both(scatter, x)

            def gather(group, t, root=root):
                out = empty(t, ranks) if rank == root else None
                dist.gather(t, out, root, group=group)
                return out or []
            both(gather, values("float32", 17, root))

    def all_to_all():
        for name, x in types(ranks * 65):
            def single(group, t):
                out = torch.zeros_like(t)
                dist.all_to_all_single(out, t, group=group)
                return out
            both(single, x)
        # Rank r sends r + k + 1 elements to rank k.
        mine, theirs = [rank + k + 1 for k in range(ranks)], [k + rank + 1 for k in range(ranks)]

        def uneven(group, t):
            out = torch.zeros(sum(theirs), dtype=t.dtype, device=t.device)
            dist.all_to_all_single(out, t, theirs, mine, group=group)
            return out
        both(uneven, values("float32", sum(mine), 3))

        def lists(group, t):
            out = [torch.zeros(n, dtype=t.dtype, device=t.device) for n in theirs]
            dist.all_to_all(out, list(t.split(mine)), group=group)
            return out
        got = lists(None, values("float32", sum(mine), 4).npu())
        all_values = [None] * ranks
        dist.all_gather_object(all_values, values("float32", sum(mine), 4), group=gloo)
        for k in range(ranks):
            assert torch.equal(got[k].cpu(), all_values[k].split([k + j + 1 for j in range(ranks)])[rank])

    def pairs():
        following, before = (rank + 1) % ranks, (rank - 1) % ranks
        for name, x in types():
            calls, batch = torch.zeros_like(x).npu(), torch.zeros_like(x).npu()
            given = x.npu()
            if rank % 2 == 0:
                dist.send(given, following)
                dist.recv(calls, before)
            else:
                dist.recv(calls, before)
                dist.send(given, following)
            x = x.int() if x.dtype == torch.int16 else x
            wanted = torch.zeros_like(x)
            works = [dist.isend(x, following, group=gloo), dist.irecv(wanted, before, group=gloo)]
            for work in works:
                work.wait()
            if ranks % 2 == 0:
                assert torch.equal(calls.cpu(), wanted.to(calls.dtype)), name
            operations = [dist.P2POp(dist.isend, given, following), dist.P2POp(dist.irecv, batch, before)]
            for work in dist.batch_isend_irecv(operations):
                work.wait()
            assert torch.equal(batch.cpu(), wanted.to(batch.dtype)), name

    def objects():
        everything = [None] * ranks
        dist.all_gather_object(everything, {"rank": rank, "text": "x" * (100 * rank)})
        assert [e["rank"] for e in everything] == list(range(ranks))
        said = [("from", ranks - 1)] if rank == ranks - 1 else [None]
        dist.broadcast_object_list(said, src=ranks - 1)
        assert said == [("from", ranks - 1)]

    def asynchronous():
        tensors = [values("float32", 4099, i).npu() for i in range(16)]
        wanted = [values("float32", 4099, i) for i in range(16)]
        works = [dist.all_reduce(t, async_op=True) for t in tensors]
        for t in wanted:
            dist.all_reduce(t, group=gloo)
        for work, t, w in zip(works, tensors, wanted):
            work.wait()
            assert torch.equal((t * 2).cpu(), w * 2)

    def groups():
        """Groups of neighbours that overlap, one alone, and two that work at once in opposite orders."""
        made = [dist.new_group([r, (r + 1) % ranks]) for r in range(ranks)]
        alone = [dist.new_group([r]) for r in range(ranks)][rank]
        for r, group in enumerate(made):
            members = {r, (r + 1) % ranks}
            if rank in members:
                x = torch.full((1000,), float(rank + 1)).npu()
                dist.all_reduce(x, group=group)
                assert x.unique().tolist() == [float(sum(m + 1 for m in members))], r
        x = torch.ones(3).npu()
        dist.all_reduce(x, group=alone)
        assert x.tolist() == [1, 1, 1]
        first, second = dist.new_group(), dist.new_group()
        for group in (first, second):  # the first call makes the communicator, which waits for all
            dist.all_reduce(x, group=group)
        for _ in range(20):
            x, y = torch.ones(100000).npu(), torch.full((100000,), 2.0).npu()
            order = [(x, first), (y, second)]
            works = [dist.all_reduce(t, group=group, async_op=True) for t, group in (order if rank % 2 else order[::-1])]
            for work in works:
                work.wait()
            assert x.unique().tolist() == [ranks] and y.unique().tolist() == [2 * ranks]
        dist.destroy_process_group(first)
        dist.destroy_process_group(second)

    def barrier():
        """Nobody leaves before the last has come."""
        for last in range(ranks):
            dist.barrier()
            if rank == last:
                time.sleep(0.2)
            came = time.monotonic()
            dist.barrier()
            torch.npu.synchronize()
            left = torch.tensor([came, time.monotonic()], dtype=torch.float64)
            everybody = [torch.zeros_like(left) for _ in range(ranks)]
            dist.all_gather(everybody, left, group=gloo)
            assert min(e[1] for e in everybody) >= max(e[0] for e in everybody), everybody

    class Residual(nn.Module):
        def __init__(self, norm, before, channels, stride):
            super().__init__()
            self.first = nn.Conv2d(before, channels, 3, stride, 1, bias=False)
            self.second = nn.Conv2d(channels, channels, 3, padding=1, bias=False)
            self.norms = nn.ModuleList(norm(channels) for _ in range(2))
            self.short = nn.Identity()
            if stride != 1 or before != channels:
                self.short = nn.Sequential(nn.Conv2d(before, channels, 1, stride, bias=False), norm(channels))

        def forward(self, x):
            y = functional.relu(self.norms[0](self.first(x)))
            return functional.relu(self.norms[1](self.second(y)) + self.short(x))

    def resnet18(norm, width=8):
        torch.manual_seed(0)
        layers = [nn.Conv2d(3, width, 7, 2, 3, bias=False), norm(width), nn.ReLU(), nn.MaxPool2d(3, 2, 1)]
        before = width
        for stage in range(4):
            for block in range(2):
                channels = width << stage
                layers.append(Residual(norm, before, channels, 2 if stage and not block else 1))
                before = channels
        return nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(before, 10))

    generator = torch.Generator().manual_seed(7)
    images, labels = torch.randn(8 * ranks, 3, 64, 64, generator=generator), torch.randint(0, 10, (8 * ranks,), generator=generator)

    def train(network, x, target, group=None):
        """Losses of each step; the mean of all ranks when the network is one of many."""
        optimiser = torch.optim.SGD(network.parameters(), lr=0.02, momentum=0.9)
        losses = []
        for _ in range(STEPS):
            optimiser.zero_grad()
            loss = functional.cross_entropy(network(x), target)
            loss.backward()
            optimiser.step()
            told = loss.detach().clone()
            if group is not False:
                dist.all_reduce(told, group=group)
                told /= ranks
            losses.append(float(told))
        return losses

    def same_losses(got, wanted):
        furthest = max(abs(a - b) / abs(b) for a, b in zip(got, wanted))
        assert furthest <= LIMIT, f"{got} and {wanted}"
        return f"losses {got[0]:.4f} to {got[-1]:.4f}, furthest from the other's {furthest:.1e}"

    def own(tensor):
        return tensor.chunk(ranks)[rank]

    def parallel(network, group=None):
        return nn.parallel.DistributedDataParallel(network, process_group=group, bucket_cap_mb=0.25)

    def whole_batch():
        """ResNet-18 whose norms are of one image: all ranks together are one process with the whole batch, here in
        float64: the fifth loss of float32 may be 3e-5 from it, as it is on device cpu with AVX2."""
        def norm(channels):
            return nn.GroupNorm(4, channels)
        got = train(parallel(resnet18(norm).npu()), own(images).npu(), own(labels).npu())
        return same_losses(got, train(resnet18(norm).double(), images.double(), labels, group=False))

    def batch_norm():
        """ResNet-18 with batch norms of each rank's images, beside the same over gloo."""
        got = train(parallel(resnet18(nn.BatchNorm2d).npu()), own(images).npu(), own(labels).npu())
        return same_losses(got, train(parallel(resnet18(nn.BatchNorm2d), gloo), own(images), own(labels), gloo))

    def speed():
        """Only when it is asked for: the best of many calls, in turns with torch's gloo on device cpu."""
        said = []
        for count, rounds in ((1 << 10, 300), (1 << 24, 9)):
            tensors, best = (torch.ones(count).npu(), torch.ones(count)), [float("inf")] * 2
            for i in range(2 * rounds):
                dist.barrier(group=gloo)
                begun = time.perf_counter()
                dist.all_reduce(tensors[i % 2], group=gloo if i % 2 else None)
                torch.npu.synchronize()
                best[i % 2] = min(best[i % 2], time.perf_counter() - begun)
                tensors[i % 2].fill_(1)
            said.append(f"AllReduce of {count * 4 >> 10} KiB: {best[0] * 1e3:.3f} ms, gloo {best[1] * 1e3:.3f} ms")
        return "; ".join(said)

    def overlap():
        """Only when it is asked for: how much of the gradients' way is hidden behind the backward pass of ResNet-18, and on
        device cpu with gloo beside it."""
        return "; ".join(f"{device}: {hidden_on(device, group)}" for device, group in (("npu", None), ("cpu", gloo)))

    def hidden_on(device, group):
        images, labels = torch.randn(IMAGES, 3, 224, 224).to(device), torch.randint(0, 10, (IMAGES,)).to(device)
        network = nn.parallel.DistributedDataParallel(resnet18(nn.BatchNorm2d, 64).to(device), bucket_cap_mb=1, process_group=group)
        sizes = [0]
        for parameter in reversed(list(network.parameters())):  # as buckets are filled
            sizes += [0] if sizes[-1] >= 1 << 18 else []
            sizes[-1] += parameter.numel()
        gradients = [torch.zeros(size, device=device) for size in sizes]

        def travel():
            works = [dist.all_reduce(gradient, async_op=True, group=group) for gradient in gradients]
            for work in works:
                work.wait()
            torch.npu.synchronize()

        def step(backward=True):
            loss = functional.cross_entropy(network(images), labels)
            if backward:
                loss.backward()
            torch.npu.synchronize()

        def alone(backward=True):
            with network.no_sync():
                step(backward)

        times = {}
        for call in (step, alone, lambda: alone(False), travel) * PASSES:
            dist.barrier(group=gloo)
            begun = time.perf_counter()
            call()
            times.setdefault(call, []).append(time.perf_counter() - begun)
        together, compute, forward, way = (min(t[1:]) * 1e3 for t in times.values())
        hidden, most = compute + way - together, min(way, compute - forward)
        return (f"backward {compute - forward:.0f} ms, gradients of {sum(g.numel() for g in gradients) * 4 / 1e6:.1f} MB alone {way:.0f} ms; a step "
                f"{compute:.0f} ms without them, {together:.0f} ms with: {hidden:.0f} of {most:.0f} ms are hidden, {hidden / most:.0%}")

    def killed():
        """The last: rank N - 1 is killed in the middle of work."""
        x = torch.ones(1 << 20).npu()
        dist.all_reduce(x)
        torch.npu.synchronize()
        if rank == ranks - 1:
            os.kill(os.getpid(), signal.SIGKILL)
        begun = time.monotonic()
        try:
            for _ in range(3):
                dist.all_reduce(x)
            torch.npu.synchronize()
        except RuntimeError as error:
            lines = str(error).splitlines()
            waited = time.monotonic() - begun
            assert waited < KILL_LIMIT_S, f"{waited} s"
            return f"after {waited:.1f} s: {next((line for line in lines if 'rank' in line), lines[0])}"
        raise AssertionError("no exception")

    checks = [all_reduce, reduce, broadcast, all_gather, reduce_scatter, scatter_gather, all_to_all, pairs, objects, asynchronous,
              groups, barrier, whole_batch, batch_norm, speed, overlap, killed]
    status = 0
    for check in checks:
        if not any(p in check.__name__ for p in patterns) if patterns else check in (speed, overlap):
            continue
        begun = time.monotonic()
        try:
            said = check() or "as wanted"
        except Exception as error:
            status = 1
            said = f"FAILED: {error or type(error).__name__}"
            if os.environ.get("RANKS_TRACE"):
                import traceback
                traceback.print_exc()
        if rank == 0 or said.startswith("FAILED"):
            print(f"rank {rank}: {check.__name__:15} {said} ({time.monotonic() - begun:.1f} s)", flush=True)
        if check is killed:
            sys.stdout.flush()
            os._exit(status) # the group is no more; its watchdog would say so at length
        if status:
            os._exit(1)
    dist.destroy_process_group()
    return status


# ---- who starts them --------------------------------------------------------------------------------------------------------


def main(ranks, patterns):
    """RANKS_HOSTS=1gbit: each rank on a host of its own, a network namespace, whose way out has that rate."""
    rate, name = os.environ.get("RANKS_HOSTS"), f"ranks{os.getpid()}"
    hosts = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../collective/hosts.sh")
    if rate and subprocess.run([hosts, "make", name, str(ranks), rate]).returncode:
        return 77
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # which takes the hosts away
    try:
        return start(ranks, patterns, name if rate else None)
    finally:
        if rate:
            subprocess.run([hosts, "remove", name, str(ranks)])


def start(ranks, patterns, hosts):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    processes = []
    for rank in range(ranks):
        own = os.environ | {
            "WORLD_SIZE": str(ranks), "LOCAL_WORLD_SIZE": str(ranks), "RANK": str(rank), "LOCAL_RANK": str(rank),
            "MASTER_ADDR": "10.77.0.1" if hosts else "127.0.0.1", "MASTER_PORT": str(port),
            "HCCL_IF_IP": f"10.77.0.{rank + 1}" if hosts else "127.0.0.1", "GLOO_SOCKET_IFNAME": "eth0" if hosts else "lo",
            "OMP_NUM_THREADS": "1", "ACLNN_CPU_THREADS": "1"}
        on = ["ip", "netns", "exec", f"{hosts}-{rank}"] if hosts else []
        processes.append(subprocess.Popen([*on, sys.executable, "-W", "ignore", __file__, "--rank", *patterns], env=own))
    status = 0
    for rank, process in enumerate(processes):
        ended = process.wait()
        is_killed = rank == ranks - 1 and ended == -signal.SIGKILL and (not patterns or "killed" in patterns)
        if ended != 0 and not is_killed:
            print(f"rank {rank} ended with {ended}")
            status = 1
    return status


if __name__ == "__main__":
    if sys.argv[1] == "--rank":
        sys.exit(worker(sys.argv[2:]))
    sys.exit(main(int(sys.argv[1]), sys.argv[2:]))
