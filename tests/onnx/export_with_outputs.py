#!/usr/bin/env python3
"""Exports torchvision's classifiers with weights, and what PyTorch computes with them.

    export_with_outputs.py FOLDER [--folded] [--seed N] [NETWORK ...]

Needs Debian's python3-torchvision. Networks are named as Fairlead names them; without names all of them.
For each there are afterwards, in FOLDER:

    NETWORK.onnx     with weights; its batch is not fixed
    NETWORK.b1.in    one image, and NETWORK.b1.out, the scores that PyTorch gives it
    NETWORK.b4.in    four other images, and NETWORK.b4.out

.in and .out are little-endian floats without a header, in order of rows. Weights are random, from the seed,
and such that signals keep their size: PyTorch's own, with batch norms that are calibrated on random images
and then shaken, so that they are no identities; in networks without batch norms drawn after He and others
(2015). Batch norms stay operators of their own; --folded lets the exporter fold them into the convolutions.
"""

import argparse
import sys
import warnings
from pathlib import Path

NETWORKS = {
    "alexnet": 224, "densenet121": 224, "efficientnet-b0": 224, "googlenet": 224,
    "inception-v3": 299, "mnasnet1-0": 224, "mobilenet-v2": 224, "mobilenet-v3-large": 224,
    "regnet-y-400mf": 224, "resnet18": 224, "resnet50": 224, "shufflenet-v2-x1-0": 224,
    "squeezenet1-1": 224, "vgg16": 224, "wide-resnet50-2": 224,
}
WITH_AUXILIARY_HEADS = ("googlenet", "inception-v3")
BATCHES = (1, 4)


def build(name, generator):
    import torch
    import torchvision

    options = {"aux_logits": False, "init_weights": False} if name in WITH_AUXILIARY_HEADS else {}
    network = getattr(torchvision.models, name.replace("-", "_"))(weights=None, **options)
    norms = [m for m in network.modules() if isinstance(m, torch.nn.BatchNorm2d)]
    if norms:
        calibrate(network, norms, NETWORKS[name], generator)
    else:
        draw_after_he(network)
    return network.eval()


def calibrate(network, norms, size, generator):
    import torch

    network.train()
    for norm in norms:
        norm.momentum = None  # the plain average over all batches
    for module in network.modules():
        if isinstance(module, torch.nn.Dropout):
            module.eval()
    with torch.no_grad():
        network(torch.randn(4, 3, size, size, generator=generator))
    for norm in norms:
        deviation = norm.running_var.sqrt()
        norm.running_mean += 0.2 * deviation * torch.randn(norm.num_features, generator=generator)
        norm.running_var *= 0.8 + 0.4 * torch.rand(norm.num_features, generator=generator)
        norm.weight.data.uniform_(0.8, 1.2, generator=generator)
        norm.bias.data.uniform_(-0.2, 0.2, generator=generator)


def draw_after_he(network):
    import torch

    for module in network.modules():
        if isinstance(module, (torch.nn.Conv2d, torch.nn.Linear)):
            torch.nn.init.kaiming_normal_(module.weight)
            if module.bias is not None:
                torch.nn.init.uniform_(module.bias, -0.1, 0.1)


def export(name, path, seed, folded):
    import torch

    torch.manual_seed(seed)
    generator = torch.Generator().manual_seed(seed)
    network = build(name, generator)
    size = NETWORKS[name]
    mode = torch.onnx.TrainingMode.EVAL if folded else torch.onnx.TrainingMode.PRESERVE
    torch.onnx.export(network, torch.zeros(1, 3, size, size), str(path), opset_version=13,
                      training=mode, do_constant_folding=folded, input_names=["image"],
                      output_names=["scores"],
                      dynamic_axes={"image": {0: "batch"}, "scores": {0: "batch"}})
    for batch in BATCHES:
        images = torch.randn(batch, 3, size, size, generator=generator)
        with torch.no_grad():
            scores = network(images)
        if not torch.isfinite(scores).all() or scores.std() < 1e-6:
            sys.exit(f"{name}: scores vanish or explode; try another seed")
        for tensor, suffix in (images, "in"), (scores, "out"):
            tensor.numpy().astype("<f4").tofile(path.with_name(f"{name}.b{batch}.{suffix}"))
        print(f"{name}, batch {batch}: scores have a mean of {scores.mean():.3g} and a deviation of "
              f"{scores.std():.3g}, {(scores - scores.mean(0)).std():.3g} between images", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--folded", action="store_true")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("networks", nargs="*", metavar="NETWORK")
    options = parser.parse_args()
    unknown = set(options.networks) - set(NETWORKS)
    if unknown:
        parser.error(f"unknown: {', '.join(sorted(unknown))}; expected {', '.join(NETWORKS)}")
    warnings.filterwarnings("ignore")
    options.folder.mkdir(parents=True, exist_ok=True)
    for name in options.networks or NETWORKS:
        export(name, options.folder / f"{name}.onnx", options.seed, options.folded)


if __name__ == "__main__":
    main()
