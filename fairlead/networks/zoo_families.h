// Each built-in network, one file for each family: the zoo's business only.
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

// zoo.cc: all of them, ordered by name.
std::span<const ZooEntry> ZooEntries();

// zoo_plain.cc: layers one after the other, or in two branches at most.
OperatorGraph AlexNet();
OperatorGraph SqueezeNet();
OperatorGraph Vgg16();

// zoo_residual.cc: additions and concatenations that skip layers.
OperatorGraph DenseNet121();
OperatorGraph ResNet18();
OperatorGraph ResNet50();
OperatorGraph WideResNet50();

// zoo_inception.cc: many branches side by side.
OperatorGraph GoogLeNet();
OperatorGraph InceptionV3();

// zoo_mobile.cc: depthwise convolutions between thin ones.
OperatorGraph EfficientNetB0();
OperatorGraph MnasNet();
OperatorGraph MobileNetV2();
OperatorGraph MobileNetV3();
OperatorGraph ShuffleNetV2();

// zoo_yolo.cc: a detector with three heads.
OperatorGraph YoloV3();

}  // namespace fairlead
