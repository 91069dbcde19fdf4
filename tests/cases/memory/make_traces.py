#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the buffers of one training step of known networks, for the memory plan's tests.

A network is a list of operators in the order of submission. Operator i runs forward at step i and backward at step
2n - 1 - i; the optimizer runs at step 2n. Of every buffer a line tells its name, its bytes, its first and its last step,
and the buffer whose place it may take over:

    conv1.out 411041792 0 311
    relu1.out 411041792 2 309 inplace=bn1.out

All tensors are fp32. A convolution keeps its input for its gradient, batch normalization its input, ReLU its output,
max pooling its indices, a fully connected layer its input; addition and concatenation keep nothing.
"""
import pathlib

BYTES = 4
WORKSPACE = 4 << 20


class Network:
    def __init__(self, batch, channels, height, width):
        self.batch = batch
        self.ops = []  # name, inputs, output, saved tensors, bytes of parameters, bytes of workspace, in place
        self.shape = {"data": (channels, height, width)}

    def add(self, name, inputs, shape, saved=(), parameters=0, workspace=0, in_place=False):
        out = name + ".out"
        self.shape[out] = shape
        self.ops.append((name, list(inputs), out, [out if s == "out" else s for s in saved], parameters, workspace, in_place))
        return out

    def conv(self, name, x, channels, kernel, stride=1, pad=None):
        c, h, w = self.shape[x]
        pad = kernel // 2 if pad is None else pad
        shape = (channels, (h + 2 * pad - kernel) // stride + 1, (w + 2 * pad - kernel) // stride + 1)
        return self.add(name, [x], shape, [x], (c * kernel * kernel + 1) * channels * BYTES, WORKSPACE)

    def up_conv(self, name, x, channels):
        c, h, w = self.shape[x]
        return self.add(name, [x], (channels, 2 * h, 2 * w), [x], (c * 4 + 1) * channels * BYTES, WORKSPACE)

    def norm(self, name, x):
        return self.add(name, [x], self.shape[x], [x], 2 * self.shape[x][0] * BYTES)

    def relu(self, name, x):
        return self.add(name, [x], self.shape[x], ["out"], in_place=True)

    def pool(self, name, x, kernel, stride, pad=0, keeps_indices=True):
        c, h, w = self.shape[x]
        shape = (c, (h + 2 * pad - kernel) // stride + 1, (w + 2 * pad - kernel) // stride + 1)
        out = self.add(name, [x], shape)
        if keeps_indices:
            self.shape[name + ".indices"] = shape
            self.ops[-1][3].append(name + ".indices")
        return out

    def dense(self, name, x, units):
        c, h, w = self.shape[x]
        return self.add(name, [x], (units, 1, 1), [x], (c * h * w + 1) * units * BYTES)

    def join(self, name, xs, concat):
        shape = self.shape[xs[0]]
        if concat:
            shape = (sum(self.shape[x][0] for x in xs),) + shape[1:]
        return self.add(name, xs, shape)

    def size(self, tensor):
        c, h, w = self.shape[tensor]
        return self.batch * c * h * w * BYTES

    def buffers(self):
        n = len(self.ops)
        forward = {op[0]: i for i, op in enumerate(self.ops)}
        backward = {op[0]: 2 * n - 1 - i for i, op in enumerate(self.ops)}
        producer = {op[2]: op[0] for op in self.ops}
        consumers, keepers = {}, {}
        for op in self.ops:
            for x in op[1]:
                consumers.setdefault(x, []).append(op[0])
            for x in op[3]:
                keepers.setdefault(x, []).append(op[0])
                if x.endswith(".indices"):
                    producer[x] = op[0]
        life = {}
        for x in self.shape:
            uses = [forward[c] for c in consumers.get(x, [])] + [backward[k] for k in keepers.get(x, [])]
            first = forward[producer[x]] if x in producer else 0
            life[x] = (self.size(x), first, max(uses + [first]), None)
        for name, inputs, out, _, parameters, workspace, in_place in self.ops:
            if in_place and life[inputs[0]][2] == forward[name] and len(consumers[inputs[0]]) == 1:
                life[out] = life[out][:3] + (inputs[0],)
            grad = [backward[c] for c in consumers.get(out, [])] or [backward[name]]
            heir = None
            if len(consumers.get(out, [])) == 1:
                reader = next(op for op in self.ops if op[0] == consumers[out][0])
                heir = reader[2] + ".grad" if reader[6] else None
            life[out + ".grad"] = (self.size(out), min(grad), backward[name], heir)
            if parameters:
                life[name + ".parameters"] = (parameters, 0, 2 * n, None)
                life[name + ".parameters.grad"] = (parameters, backward[name], 2 * n, None)
            if workspace:
                life[name + ".workspace"] = (workspace, forward[name], forward[name], None)
                life[name + ".workspace.backward"] = (workspace, backward[name], backward[name], None)
        return life


def lenet():
    net = Network(64, 1, 28, 28)
    x = net.relu("relu1", net.conv("conv1", "data", 6, 5))
    x = net.pool("pool1", x, 2, 2)
    x = net.relu("relu2", net.conv("conv2", x, 16, 5, pad=0))
    x = net.pool("pool2", x, 2, 2)
    for i, units in enumerate((120, 84)):
        x = net.relu(f"relu{i + 3}", net.dense(f"fc{i + 1}", x, units))
    net.dense("fc3", x, 10)
    return net


def vgg16():
    net, x, layer = Network(32, 3, 224, 224), "data", 0
    for block, (channels, count) in enumerate(((64, 2), (128, 2), (256, 3), (512, 3), (512, 3))):
        for _ in range(count):
            layer += 1
            x = net.relu(f"relu{layer}", net.conv(f"conv{layer}", x, channels, 3))
        x = net.pool(f"pool{block + 1}", x, 2, 2)
    for i in range(2):
        x = net.relu(f"fc_relu{i + 1}", net.dense(f"fc{i + 1}", x, 4096))
    net.dense("fc3", x, 1000)
    return net


def resnet50():
    net = Network(32, 3, 224, 224)
    x = net.relu("relu1", net.norm("norm1", net.conv("conv1", "data", 64, 7, 2)))
    x = net.pool("pool1", x, 3, 2, 1)
    for stage, (channels, blocks) in enumerate(((64, 3), (128, 4), (256, 6), (512, 3))):
        for block in range(blocks):
            name, stride = f"s{stage + 1}b{block + 1}", 2 if stage > 0 and block == 0 else 1
            y = net.relu(name + ".relu1", net.norm(name + ".norm1", net.conv(name + ".conv1", x, channels, 1)))
            y = net.relu(name + ".relu2", net.norm(name + ".norm2", net.conv(name + ".conv2", y, channels, 3, stride)))
            y = net.norm(name + ".norm3", net.conv(name + ".conv3", y, 4 * channels, 1))
            if block == 0:
                x = net.norm(name + ".norm0", net.conv(name + ".conv0", x, 4 * channels, 1, stride))
            x = net.relu(name + ".relu3", net.join(name + ".add", [y, x], False))
    net.dense("fc", net.pool("mean", x, 7, 7, keeps_indices=False), 1000)
    return net


def unet():
    net, x, skips = Network(4, 1, 512, 512), "data", []

    def double(name, x, channels):
        for i in (1, 2):
            x = net.relu(f"{name}.relu{i}", net.norm(f"{name}.norm{i}", net.conv(f"{name}.conv{i}", x, channels, 3)))
        return x

    for level in range(4):
        x = double(f"down{level + 1}", x, 64 << level)
        skips.append(x)
        x = net.pool(f"pool{level + 1}", x, 2, 2)
    x = double("bottom", x, 1024)
    for level in reversed(range(4)):
        x = net.up_conv(f"up{level + 1}", x, 64 << level)
        x = double(f"right{level + 1}", net.join(f"cat{level + 1}", [skips[level], x], True), 64 << level)
    net.conv("head", x, 2, 1)
    return net


def densenet121():
    net = Network(32, 3, 224, 224)
    x = net.relu("relu0", net.norm("norm0", net.conv("conv0", "data", 64, 7, 2)))
    x = net.pool("pool0", x, 3, 2, 1)
    for block, layers in enumerate((6, 12, 24, 16)):
        for layer in range(layers):
            name = f"b{block + 1}l{layer + 1}"
            y = net.relu(name + ".relu1", net.norm(name + ".norm1", x))
            y = net.relu(name + ".relu2", net.norm(name + ".norm2", net.conv(name + ".conv1", y, 128, 1)))
            x = net.join(name + ".cat", [x, net.conv(name + ".conv2", y, 32, 3)], True)
        if block < 3:
            name = f"t{block + 1}"
            y = net.relu(name + ".relu", net.norm(name + ".norm", x))
            y = net.conv(name + ".conv", y, net.shape[x][0] // 2, 1)
            x = net.pool(name + ".pool", y, 2, 2, keeps_indices=False)
    x = net.relu("relu5", net.norm("norm5", x))
    net.dense("fc", net.pool("mean", x, 7, 7, keeps_indices=False), 1000)
    return net


def main():
    here = pathlib.Path(__file__).parent
    for make in (lenet, vgg16, resnet50, unet, densenet121):
        lines = [f"# One training step of {make.__name__}; written by make_traces.py, which describes the lines."]
        for name, (size, first, last, heir) in make().buffers().items():
            lines.append(f"{name} {size} {first} {last}" + (f" inplace={heir}" if heir else ""))
        (here / f"{make.__name__}.txt").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
