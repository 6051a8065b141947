// The built-in networks, with every layer that costs something and their real dependencies:
// torchvision 0.14's classifiers, without auxiliary heads, and YOLOv3.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "fairlead/networks/layer.h"
#include "fairlead/networks/network_builder.h"
#include "fairlead/networks/operator_graph.h"

namespace fairlead {

// The built-in networks as operators, to be run: the same layers as the zoo's, with weights drawn
// from a seed.

// None where the zoo has no network of this name. Weights are scaled so that activations neither
// vanish nor explode.
std::optional<OperatorGraph> ZooGraph(std::string_view name, std::uint64_t weights_seed);

// Each built-in network, by families: the zoo's business only.
struct ZooEntry {
  std::string_view name;
  std::string_view description;
  std::string_view input;  // "3x224x224"
  OperatorGraph (*build)();
};

// All of them, ordered by name.
std::span<const ZooEntry> ZooEntries();

// Layers one after the other, or in two branches at most.
OperatorGraph AlexNet();
OperatorGraph SqueezeNet();
OperatorGraph Vgg16();

// Additions and concatenations that skip layers.
OperatorGraph DenseNet121();
OperatorGraph ResNet18();
OperatorGraph ResNet50();
OperatorGraph WideResNet50();

// Many branches side by side.
OperatorGraph GoogLeNet();
OperatorGraph InceptionV3();

// Depthwise convolutions between thin ones.
OperatorGraph EfficientNetB0();
OperatorGraph MnasNet();
OperatorGraph MobileNetV2();
OperatorGraph MobileNetV3();
OperatorGraph ShuffleNetV2();

// A detector with three heads.
OperatorGraph YoloV3();

// Ordered by name. Built once, on first use.
std::span<const LayeredNetwork> Zoo();

// Null where there is none of this name.
const LayeredNetwork* FindInZoo(std::string_view name);

}  // namespace fairlead
