# SPDX-License-Identifier: Apache-2.0
"""PyTorch's operator database on device npu, each sample compared with device cpu: values, gradients, and the form in place.

samples.py [--jobs N] [--types NAME,...] [--log FILE] [PATTERN...]: the operators whose names match one of the regular expressions
(all without one). Prints one line for each operator and the reasons why samples failed, then the sums. Ends with 1 when a sample
failed without a line in sample_exceptions.txt. The log takes each failure, excepted or not.

Each job is a process (sample_worker.py) that forks one for each operator. If that ends, or takes more than SECONDS over a sample, the
sample has failed and another process goes on with the next one. "By the CPU": torch_npu had computed at least a part of the operator
there, as it does with functions that it has no call for.
"""
import argparse
import collections
import json
import os
import pathlib
import queue
import re
import select
import signal
import subprocess
import sys
import threading
import time

HERE = pathlib.Path(__file__).parent
TYPES = ("float32", "float16", "bfloat16", "int64", "int32", "int16", "int8", "uint8", "bool", "complex64")
SECONDS = 90
FIRST_SECONDS = 600  # until a process has begun: it imports PyTorch, which on a busy machine takes minutes
CRASHES = 5  # of one operator; then the rest of the type is left


class Exceptions:
    """The lines of sample_exceptions.txt, and how often each was needed."""

    def __init__(self, path):
        self.lines = []
        for line in path.read_text().splitlines():
            if line and not line.startswith("#"):
                kind, pattern, reason = line.split("\t")
                assert kind in ("fails", "random", "left out", "integers"), line
                self.lines.append((kind, re.compile(pattern), reason))
        self.used = collections.Counter()

    def reason(self, kind, text):
        for line in self.lines:
            if line[0] == kind and line[1].search(text):
                self.used[line] += 1
                return line[2]
        return None


class Worker:
    """A process that runs samples, and what it says."""

    def __init__(self, output):
        self.output, self.process = output, None

    def start(self):
        reader, writer = os.pipe()
        self.process = subprocess.Popen(
            [sys.executable, "-W", "ignore", HERE / "sample_worker.py", str(writer)],
            stdin=subprocess.PIPE, stdout=self.output, stderr=self.output, pass_fds=(writer,), text=True, start_new_session=True,
        )
        os.close(writer)
        self.answers, self.rest = reader, b""
        kind, *what = self.answer(FIRST_SECONDS)
        if kind != "ready":
            raise RuntimeError(f"sample_worker.py has not begun: {what[0]}")
        return what[0]

    def stop(self):
        if self.process:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()
            os.close(self.answers)
            self.process = None

    def ask(self, *question):
        if not self.process:
            self.start()
        self.process.stdin.write(json.dumps(question) + "\n")
        self.process.stdin.flush()

    def answer(self, seconds=SECONDS):
        """The next message; or ["ended", why], and the process is no more."""
        until = time.monotonic() + seconds
        while b"\n" not in self.rest:
            ready, _, _ = select.select([self.answers], [], [], max(0.0, until - time.monotonic()))
            data = os.read(self.answers, 1 << 16) if ready else None
            if not data:
                code = None if data is None else self.process.wait()
                self.stop()
                return ["ended", f"takes more than {seconds} s" if code is None else f"the process ends with {code}"]
            self.rest += data
        line, self.rest = self.rest.split(b"\n", 1)
        return json.loads(line)


class Tally:
    """What came of one operator."""

    def __init__(self):
        self.passed = self.on_cpu = self.excepted = self.failed = self.left_out = 0
        self.reasons = collections.Counter()
        self.fallbacks = set()

    def row(self):
        return self.passed + self.excepted + self.failed, self.passed, self.on_cpu, self.excepted, self.failed


class Run:
    def __init__(self, exceptions, log):
        self.exceptions, self.log = exceptions, log
        self.tallies, self.lock = collections.defaultdict(Tally), threading.Lock()

    def judge(self, name, type_name, at, what, reason):
        tally = self.tallies[name]
        if reason is None:
            tally.passed += 1
            return
        with self.lock:
            case = f"{name} {type_name} {what}: {reason}"
            allowed = self.exceptions.reason("fails", case)
            self.log.write(f"{'excepted' if allowed else 'failed'}\t{at}\t{case}\n")
        if allowed:
            tally.excepted += 1
        else:
            tally.failed += 1
            tally.reasons[f"{type_name} {what}: {reason}"] += 1

    def operator(self, worker, name, types):
        """All samples of an operator, whatever becomes of the process."""
        tally = self.tallies[name]
        with self.lock:
            out = {one for one in types if self.exceptions.reason("left out", f"{name} {one}")}
            random, by_value = (self.exceptions.reason(kind, name) is not None for kind in ("random", "integers"))
        tally.left_out = len(out)
        rest, ends = [[one, 0] for one in types if one not in out], 0
        while rest:
            worker.ask(name, rest, random, by_value)
            at = self.answers(worker, tally, name, rest)
            if at is None:
                return
            ends += 1
            rest = [[rest[0][0], at + 1], *rest[1:]] if ends % CRASHES else rest[1:]

    def answers(self, worker, tally, name, rest):
        """Until there are no more: None. Until the process ends: the sample that it ended at, of the first type of what is left of rest."""
        at, passed = 0, 0
        while True:
            kind, *what = worker.answer()
            if kind == "over":
                return None
            if kind == "at":
                at, passed = what[1], 0
                while rest[0][0] != what[0]:
                    rest.pop(0)
            elif kind == "told":
                self.judge(name, rest[0][0], *what)
                passed += what[2] is None
            elif kind == "cpu":
                tally.on_cpu += passed
                tally.fallbacks.update(what[0])
            elif kind == "none":
                self.judge(name, rest[0][0], 0, "samples", what[0])
            elif kind == "ended":
                self.judge(name, rest[0][0], at, "sample", what[0])
                return at
            else:
                raise RuntimeError(f"sample_worker.py says {kind}")


def tell(name, tally, done, of):
    total, passed, on_cpu, excepted, failed = tally.row()
    print(f"[{done}/{of}] {name}: {total} run, {passed} passed ({on_cpu} by the CPU), {excepted} excepted, {failed} failed", flush=True)
    for reason, count in tally.reasons.most_common(4):
        print(f"    {count} x {reason}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--types", default=",".join(TYPES))
    parser.add_argument("--log", default=os.devnull)
    parser.add_argument("patterns", nargs="*")
    given = parser.parse_args()
    start = time.monotonic()
    exceptions = Exceptions(HERE / "sample_exceptions.txt")
    with open(given.log, "w", buffering=1) as log:
        run, work, done = Run(exceptions, log), queue.SimpleQueue(), []
        workers = [Worker(subprocess.DEVNULL) for _ in range(given.jobs)]
        operators = workers[0].start()
        chosen = [name for name in operators if not given.patterns or any(re.search(one, name) for one in given.patterns)]
        for name in chosen:
            work.put(name)

        def work_off(worker):
            while True:
                try:
                    name = work.get_nowait()
                except queue.Empty:
                    worker.stop()
                    return
                run.operator(worker, name, [one for one in given.types.split(",") if one in operators[name]])
                with run.lock:
                    done.append(name)
                    tell(name, run.tallies[name], len(done), len(chosen))

        threads = [threading.Thread(target=work_off, args=(worker,)) for worker in workers]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    return summary(run, given, len(chosen), time.monotonic() - start)


def summary(run, given, count, seconds):
    total, passed, on_cpu, excepted, failed = map(sum, zip(*(tally.row() for tally in run.tallies.values()), strict=True))
    left_out = sum(tally.left_out for tally in run.tallies.values())
    reasons = collections.Counter()
    for (kind, _, reason), times in run.exceptions.used.items():
        if kind == "fails":
            reasons[reason] += times
    print("excepted, by reason:")
    for reason, times in reasons.most_common():
        print(f"    {times} x {reason}")
    if not given.patterns and given.types == ",".join(TYPES):
        for line in run.exceptions.lines:
            if line not in run.exceptions.used:
                print(f"never needed: {line[1].pattern}")
    helped = sorted(set().union(*(tally.fallbacks for tally in run.tallies.values())))
    print(f"computed on the CPU by torch_npu: {' '.join(helped)}")
    print(f"{count} operators, {left_out} of their types left out; {total} checks in {seconds:.0f} s")
    print(f"{passed} passed ({100 * passed / max(total, 1):.2f} %), of which {on_cpu} by the CPU; {excepted} excepted, {failed} failed", flush=True)
    return 1 if failed or not total else 0


if __name__ == "__main__":
    sys.exit(main())
