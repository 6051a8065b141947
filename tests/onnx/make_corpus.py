#!/usr/bin/env python3
"""Makes the small ONNX files in tests/fuzz/corpus/onnx: a few good ones, and one for each way to be wrong.

    make_corpus.py FOLDER

Needs Debian's python3-onnx.
"""

import sys
from pathlib import Path

from onnx import TensorProto, helper

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


def main():
    folder = Path(sys.argv[1])
    for name, data in {**GOOD, **BAD}.items():
        (folder / f"{name}.onnx").write_bytes(data)
    (folder / "cut_off.onnx").write_bytes(GOOD["gate"][:200])
    (folder / "text").write_text("not a model\n", encoding="utf-8")


if __name__ == "__main__":
    main()
