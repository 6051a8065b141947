// The layers of each built-in network, one file for each family: zoo.cc's business only.
#pragma once

#include <vector>

#include "fairlead/costs/layered_network.h"

namespace fairlead {

// zoo_plain.cc: layers one after the other, or in two branches at most.
std::vector<NetworkLayer> AlexNet();
std::vector<NetworkLayer> SqueezeNet();
std::vector<NetworkLayer> Vgg16();

// zoo_residual.cc: additions and concatenations that skip layers.
std::vector<NetworkLayer> DenseNet121();
std::vector<NetworkLayer> ResNet18();
std::vector<NetworkLayer> ResNet50();
std::vector<NetworkLayer> WideResNet50();

// zoo_inception.cc: many branches side by side.
std::vector<NetworkLayer> GoogLeNet();
std::vector<NetworkLayer> InceptionV3();

// zoo_mobile.cc: depthwise convolutions between thin ones.
std::vector<NetworkLayer> EfficientNetB0();
std::vector<NetworkLayer> MnasNet();
std::vector<NetworkLayer> MobileNetV2();
std::vector<NetworkLayer> MobileNetV3();
std::vector<NetworkLayer> ShuffleNetV2();

// zoo_yolo.cc: a detector with three heads.
std::vector<NetworkLayer> YoloV3();

}  // namespace fairlead
