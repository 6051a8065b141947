#!/usr/bin/env python3
"""Exports torchvision's classifiers as ONNX files without their weights.

    export_torchvision.py FOLDER [--folded] [--with-weights] [NETWORK ...]

Needs Debian's python3-torchvision and python3-onnx. Networks are named as Fairlead names them; without
names all of them. Batch norms stay operators of their own; --folded lets the exporter fold them into the
convolutions, as it does for deployment. Weights are random. They are left out: each file names an external
file for them that does not exist, which nothing here opens; --with-weights keeps them. Tensors get short
names, which keeps the files small; operators keep theirs.
"""

import argparse
import io
import warnings
from pathlib import Path

NETWORKS = {
    "alexnet": 224, "densenet121": 224, "efficientnet-b0": 224, "googlenet": 224,
    "inception-v3": 299, "mnasnet1-0": 224, "mobilenet-v2": 224, "mobilenet-v3-large": 224,
    "resnet18": 224, "resnet50": 224, "shufflenet-v2-x1-0": 224, "squeezenet1-1": 224, "vgg16": 224,
    "wide-resnet50-2": 224,
}
WITH_AUXILIARY_HEADS = ("googlenet", "inception-v3")
SMALL = 16  # elements; shapes and scales are data that shape inference needs


def export(name, folded):
    """The file's bytes, weights included."""
    import torch
    import torchvision

    options = {"aux_logits": False, "init_weights": False} if name in WITH_AUXILIARY_HEADS else {}
    network = getattr(torchvision.models, name.replace("-", "_"))(weights=None, **options).eval()
    for tensor in network.state_dict().values():
        if tensor.is_floating_point():
            tensor.uniform_(0.5, 1)  # equal ones would be exported once
    mode = torch.onnx.TrainingMode.EVAL if folded else torch.onnx.TrainingMode.PRESERVE
    buffer = io.BytesIO()
    size = NETWORKS[name]
    torch.onnx.export(network, torch.zeros(1, 3, size, size), buffer, opset_version=13,
                      training=mode, do_constant_folding=folded, input_names=["image"],
                      output_names=["scores"], dynamic_axes={"image": {0: "batch"}})
    return buffer.getvalue()


def without_weights(model):
    for tensor in model.graph.initializer:
        elements = 1
        for size in tensor.dims:
            elements *= size
        if elements <= SMALL:
            continue
        tensor.ClearField("raw_data")
        tensor.ClearField("float_data")
        tensor.data_location = tensor.EXTERNAL
        del tensor.external_data[:]
        tensor.external_data.add(key="location", value="weights")
    return model


def with_short_names(model):
    kept = {value.name for value in [*model.graph.input, *model.graph.output]}
    short = {}

    def shorten(names):
        for i, name in enumerate(names):
            if name and name not in kept:
                names[i] = short.setdefault(name, f"t{len(short)}")

    for node in model.graph.node:
        shorten(node.input)
        shorten(node.output)
        node.ClearField("doc_string")
    for tensor in model.graph.initializer:
        tensor.name = short.get(tensor.name, tensor.name)
    return model


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--folded", action="store_true")
    parser.add_argument("--with-weights", action="store_true")
    parser.add_argument("networks", nargs="*", metavar="NETWORK")
    options = parser.parse_args()
    unknown = set(options.networks) - set(NETWORKS)
    if unknown:
        parser.error(f"unknown: {', '.join(sorted(unknown))}; expected {', '.join(NETWORKS)}")
    warnings.filterwarnings("ignore")

    import onnx

    for name in options.networks or NETWORKS:
        model = onnx.load_model_from_string(export(name, options.folded))
        if not options.with_weights:
            model = without_weights(model)
        data = with_short_names(model).SerializeToString(deterministic=True)
        (options.folder / f"{name}.onnx").write_bytes(data)
        print(f"{name}: {len(model.graph.node)} operators, {len(data)} bytes")


if __name__ == "__main__":
    main()
