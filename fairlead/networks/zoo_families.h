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
  BuiltNetwork (*build)();
};

// zoo.cc: all of them, ordered by name.
std::span<const ZooEntry> ZooEntries();

// zoo_plain.cc: layers one after the other, or in two branches at most.
BuiltNetwork AlexNet();
BuiltNetwork SqueezeNet();
BuiltNetwork Vgg16();

// zoo_residual.cc: additions and concatenations that skip layers.
BuiltNetwork DenseNet121();
BuiltNetwork ResNet18();
BuiltNetwork ResNet50();
BuiltNetwork WideResNet50();

// zoo_inception.cc: many branches side by side.
BuiltNetwork GoogLeNet();
BuiltNetwork InceptionV3();

// zoo_mobile.cc: depthwise convolutions between thin ones.
BuiltNetwork EfficientNetB0();
BuiltNetwork MnasNet();
BuiltNetwork MobileNetV2();
BuiltNetwork MobileNetV3();
BuiltNetwork ShuffleNetV2();

// zoo_yolo.cc: a detector with three heads.
BuiltNetwork YoloV3();

}  // namespace fairlead
