#!/usr/bin/env python3
"""Makes the small ONNX files that the fuzzers start from: a few good ones, and one for each way to be wrong.

    make_corpus.py FOLDER

writes those of tests/fuzz/corpus/onnx and tests/fuzz/corpus/operators to the folders `onnx` and `operators`
in FOLDER; the latter have weights. Needs Debian's python3-onnx.
"""

import random
import struct
import sys
from pathlib import Path

from onnx import ModelProto, TensorProto, helper

FLOAT, INT64 = TensorProto.FLOAT, TensorProto.INT64
IMAGE = ["batch", 3, 8, 8]


def weights(name, *dims):
    """Dimensions without data."""
    tensor = TensorProto(name=name, data_type=FLOAT, dims=dims)
    tensor.data_location = TensorProto.EXTERNAL
    tensor.external_data.add(key="location", value="weights")
    return tensor


def numbers(name, *values):
    return helper.make_tensor(name, INT64, [len(values)], values)


def model(nodes, initializers=(), image=IMAGE, output="y", opset=13, inputs=()):
    graph = helper.make_graph(
        nodes, "g", [helper.make_tensor_value_info("x", FLOAT, image), *inputs],
        [helper.make_tensor_value_info(output, FLOAT, None)], initializers)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)],
                             ir_version=8).SerializeToString()


def node(kind, inputs, outputs="y", **attributes):
    return helper.make_node(kind, inputs.split(), outputs.split(), name=kind.lower(), **attributes)


def conv(**attributes):
    return node("Conv", "x w", **attributes)


W = weights("w", 4, 3, 3, 3)
BATCH_NORM = [weights(name, 4) for name in ("scale", "bias", "mean", "variance")]


def subgraph():
    body = helper.make_graph([node("Identity", "x", "inner")], "body", [],
                             [helper.make_tensor_value_info("inner", FLOAT, [1, 3, 8, 8])])
    return node("If", "c", then_branch=body, else_branch=body)


GOOD = {
    "conv_bn_relu": model(
        [node("Conv", "x w", "a", pads=[1, 1, 1, 1], strides=[2, 2]),
         node("BatchNormalization", "a scale bias mean variance", "b"), node("Relu", "b")],
        [W, *BATCH_NORM]),
    "gate": model(
        [node("Conv", "x w", "a"), node("Sigmoid", "a", "s"), node("Mul", "a s", "b"),
         node("GlobalAveragePool", "b", "g"), node("Conv", "g v", "h"),
         node("HardSigmoid", "h", "i"), node("Mul", "b i")],
        [W, weights("v", 4, 4, 1, 1)]),
    "shuffle": model(
        [node("Shape", "x", "s"), node("Gather", "s i0", "n"), node("Unsqueeze", "n zero", "n1"),
         node("Concat", "n1 groups", "to", axis=0), node("Reshape", "x to", "a"),
         node("Transpose", "a", "b", perm=[0, 2, 1, 3, 4]), node("Reshape", "b back")],
        [helper.make_tensor("i0", INT64, [], [0]), numbers("zero", 0), numbers("groups", 2, 2, 8, 8),
         numbers("back", 0, -1, 8, 8)], image=["batch", 4, 8, 8]),
    "classifier": model(
        [node("MaxPool", "x", "a", kernel_shape=[2, 2], strides=[2, 2], ceil_mode=1),
         node("Flatten", "a", "b"), node("MatMul", "b w", "c"), node("Add", "c bias", "d"),
         node("Softmax", "d")], [weights("w", 48, 10), weights("bias", 10)]),
    "attention": model(
        [node("Transpose", "x", "t", perm=[0, 1, 3, 2]), node("MatMul", "x t", "a"),
         node("Softmax", "a", "s", axis=-1), node("MatMul", "s x")]),
    "resize": model(
        [node("Resize", "x none scales", "a", mode="linear"),
         node("Pad", "a pads", "b"), node("AveragePool", "b", "c", kernel_shape=[3, 3]),
         node("ReduceMean", "c", axes=[2, 3], keepdims=0)],
        [helper.make_tensor("none", FLOAT, [0], []),
         helper.make_tensor("scales", FLOAT, [4], [1, 1, 2, 2]),
         numbers("pads", 0, 0, 1, 1, 0, 0, 1, 1)]),
    "split": model(
        [node("Split", "x sizes", "a b", axis=1), node("Relu", "a", "c"),
         node("ConvTranspose", "b w", "d", strides=[2, 2]), node("Slice", "d starts ends axes", "e"),
         node("Concat", "c e", axis=1)],
        [numbers("sizes", 1, 2), weights("w", 2, 4, 2, 2), numbers("starts", 0, 0),
         numbers("ends", 8, 8), numbers("axes", 2, 3)]),
    "unknown": model([node("Conv", "x w", "a"), node("TopK", "a k", "y i")], [W, numbers("k", 2)]),
    "weights_as_inputs": model(
        [conv()], inputs=[helper.make_tensor_value_info("w", FLOAT, [4, 3, 3, 3])]),
    "old_opset": model(
        [node("Upsample", "x scales", "a", mode="nearest"), node("Squeeze", "a", axes=[0])],
        [helper.make_tensor("scales", FLOAT, [4], [1, 1, 2, 2])], opset=9, image=[1, 3, 8, 8]),
    "inner_graph": model([subgraph()], [helper.make_tensor("c", TensorProto.BOOL, [], [1])]),
}

BAD = {
    "channels_do_not_fit": model([conv()], [weights("w", 4, 5, 3, 3)]),
    "cycle": model([node("Add", "x b", "a"), node("Relu", "a", "b"), node("Relu", "b")]),
    "defined_twice": model([node("Relu", "x"), node("Relu", "x")]),
    "huge_dims": model([conv()], [weights("w", 2**62, 3, 2**62, 3)]),
    "huge_image": model([node("Relu", "x")], image=[1, 2**40, 2**40, 8]),
    "huge_pads": model([conv(pads=[2**62, 2**62, 2**62, 2**62])], [W]),
    "kernel_larger_than_image": model([conv()], [weights("w", 4, 3, 9, 9)]),
    "negative_dims": model([conv()], [weights("w", 4, 3, -3, 3)]),
    "no_kernel": model([node("MaxPool", "x")]),
    "no_outputs": model([node("Relu", "x")], output="z"),
    "not_fixed": model([node("Relu", "x")], image=[1, 3, "height", 8]),
    "reads_nothing": model([node("Relu", "z")]),
    "reshape_does_not_fit": model([node("Reshape", "x to")], [numbers("to", 7, -1)]),
    "stride_of_zero": model([conv(strides=[0, 0])], [W]),
    "too_few_axes": model([node("Transpose", "x", perm=[0, 5, 1, 2])]),
}


def with_weights(data):
    """The model with numbers where there are only dimensions."""
    full = ModelProto.FromString(data)
    for tensor in full.graph.initializer:
        if tensor.data_location == TensorProto.EXTERNAL:
            tensor.ClearField("data_location")
            del tensor.external_data[:]
            tensor.raw_data = floats(*tensor.dims)
    return full.SerializeToString()


def floats(*dims):
    count = 1
    for size in dims:
        count *= size
    chance = random.Random(count)
    return struct.pack(f"<{count}f", *(chance.uniform(0.5, 1) for _ in range(count)))


def stored(name, kind, dims, data):
    return TensorProto(name=name, data_type=kind, dims=dims, raw_data=data)


def number(name, value):
    return helper.make_tensor(name, FLOAT, [], [value])


MATRIX = [2, 2]
ROW = ["batch", 2]

OPERATORS = {
    **{name: with_weights(GOOD[name])
       for name in ("conv_bn_relu", "gate", "shuffle", "classifier", "resize", "split", "old_opset")},
    "left_out": GOOD["conv_bn_relu"],
    "activations": model(
        [node("LeakyRelu", "x", "a", alpha=0.1), node("Clip", "a low high", "b"),
         node("HardSigmoid", "b", "c"), node("Elu", "c", "d", alpha=2.0), node("PRelu", "d slope", "e"),
         node("Neg", "e", "f"), node("HardSwish", "f")],
        [number("low", 0), number("high", 6), number("slope", 0.25)], opset=14),
    "arithmetic": model(
        [node("Add", "x k", "a"), node("Sub", "a c", "b"), node("Div", "b k", "d"),
         node("Sum", "a b d", "e"), node("Max", "x e")],
        [stored("k", FLOAT, [3, 1, 1], floats(3)), stored("c", FLOAT, [1, 3, 8, 8], floats(3, 64))]),
    "half_weights": model(
        [node("Gemm", "x w b", alpha=2.0, beta=0.5)],
        [stored("w", TensorProto.FLOAT16, MATRIX, bytes(8)), stored("b", TensorProto.DOUBLE, [2], bytes(16))],
        image=ROW),
    "typed_weights": model(
        [node("MatMul", "x w")], [helper.make_tensor("w", FLOAT, MATRIX, [1, 2, 3, 4])], image=ROW),
    "moved_weights": model(
        [node("Constant", "", "w", value=stored("", FLOAT, [20, 10], floats(200))),
         node("Transpose", "w", "t", perm=[1, 0]), node("Reshape", "t to", "r"), node("Identity", "r", "i"),
         node("MatMul", "x i")], [numbers("to", 2, 100)], image=ROW),
    "pools": model(
        [node("AveragePool", "x", "a", kernel_shape=[3, 3], pads=[1, 1, 1, 1], count_include_pad=1),
         node("MaxPool", "a", "b", kernel_shape=[3, 3], strides=[2, 2], ceil_mode=1),
         node("AveragePool", "b", "c", kernel_shape=[2, 2], auto_pad="SAME_LOWER"),
         node("LRN", "c", "d", size=3), node("GlobalMaxPool", "d")]),
    "transposed": model(
        [node("ConvTranspose", "x w b", strides=[2, 2], pads=[1, 1, 0, 0], output_padding=[1, 0])],
        [stored("w", FLOAT, [3, 2, 3, 3], floats(54)), stored("b", FLOAT, [2], floats(2))]),
    "turned_around": model(
        [node("Slice", "x starts ends axes steps", "a"), node("Transpose", "a", "b", perm=[0, 2, 3, 1]),
         node("Softmax", "b", "c", axis=1), node("ReduceMax", "c", "d", axes=[1, 2], keepdims=0),
         node("LogSoftmax", "d")],
        [numbers("starts", -1, 0), numbers("ends", -9, 8), numbers("axes", 2, 3), numbers("steps", -1, 2)]),
    "resize_to_sizes": model(
        [node("Resize", "x none none sizes", coordinate_transformation_mode="align_corners", mode="linear")],
        [helper.make_tensor("none", FLOAT, [0], []), numbers("sizes", 1, 3, 5, 13)]),
    "batch_of_four": model([node("Flatten", "x", "a"), node("Reshape", "a to")], [numbers("to", 4, -1, 2)],
                           image=[4, 3, 8, 8]),
    "bad_batch": model([node("Transpose", "x", perm=[1, 0, 2, 3])]),
    "bad_product": model([node("MatMul", "x x")], image=[1, 8, 8]),
    "bad_size": model([node("MatMul", "x w")], [stored("w", FLOAT, MATRIX, bytes(15))], image=ROW),
    "bad_type": model([node("MatMul", "x w")], [stored("w", TensorProto.INT8, MATRIX, bytes(4))], image=ROW),
    "bad_variance": model(
        [node("BatchNormalization", "x s s s v")],
        [stored("s", FLOAT, [3], floats(3)), stored("v", FLOAT, [3], struct.pack("<3f", 1, -1, 1))]),
    "computed_weights": model(
        [node("Exp", "w", "v"), node("MatMul", "x v")], [stored("w", FLOAT, [2, 100], floats(200))],
        image=ROW),
    "huge_weights": model([node("MatMul", "x w")], [weights("w", 2, 2**38)], image=ROW),
}


def write(folder, models):
    folder.mkdir(parents=True, exist_ok=True)
    for name, data in models.items():
        (folder / f"{name}.onnx").write_bytes(data)


def main():
    folder = Path(sys.argv[1])
    write(folder / "onnx", {**GOOD, **BAD, "cut_off": GOOD["gate"][:200]})
    (folder / "onnx" / "text").write_text("not a model\n", encoding="utf-8")
    write(folder / "operators", OPERATORS)


if __name__ == "__main__":
    main()
