// Each built-in network, by families: the zoo's business only.
#pragma once

#include <span>
#include <string_view>

#include "fairlead/networks/network_builder.h"

namespace fairlead {

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

}  // namespace fairlead
