#include "fairlead/networks/zoo.h"

#include <algorithm>
#include <string>
#include <vector>

#include "fairlead/networks/graph_layers.h"
#include "fairlead/networks/zoo_families.h"

namespace fairlead {

std::span<const ZooEntry> ZooEntries() {
  static constexpr ZooEntry kEntries[] = {
      {"alexnet", "image classification, 2014; its linear layers are bound by memory", "3x224x224",
       &AlexNet},
      {"densenet121", "image classification, 2017; reads all earlier results again", "3x224x224",
       &DenseNet121},
      {"efficientnet-b0", "image classification, 2019; depthwise, squeeze and excitation",
       "3x224x224", &EfficientNetB0},
      {"googlenet", "image classification, 2015; four branches side by side", "3x224x224",
       &GoogLeNet},
      {"inception-v3", "image classification, 2016; many small branches", "3x299x299",
       &InceptionV3},
      {"mnasnet1-0", "image classification, 2019; found by search for phones", "3x224x224",
       &MnasNet},
      {"mobilenet-v2", "image classification, 2018; inverted residuals", "3x224x224", &MobileNetV2},
      {"mobilenet-v3-large", "image classification, 2019; inverted residuals with gates",
       "3x224x224", &MobileNetV3},
      {"resnet18", "image classification, 2016; residual pairs", "3x224x224", &ResNet18},
      {"resnet50", "image classification, 2016; residual bottlenecks", "3x224x224", &ResNet50},
      {"shufflenet-v2-x1-0", "image classification, 2018; halves of channels, shuffled",
       "3x224x224", &ShuffleNetV2},
      {"squeezenet1-1", "image classification, 2016; few parameters", "3x224x224", &SqueezeNet},
      {"vgg16", "image classification, 2015; plain, with many parameters", "3x224x224", &Vgg16},
      {"wide-resnet50-2", "image classification, 2016; bottlenecks of twice the width", "3x224x224",
       &WideResNet50},
      {"yolo-v3", "object detection, 2018; by far the most arithmetic", "3x416x416", &YoloV3},
  };
  return kEntries;
}

std::span<const LayeredNetwork> Zoo() {
  static const std::vector<LayeredNetwork> zoo = [] {
    std::vector<LayeredNetwork> networks;
    for (const ZooEntry& entry : ZooEntries())
      networks.push_back({std::string(entry.name), std::string(entry.description),
                          std::string(entry.input), LayersOf(entry.build())});
    return networks;
  }();
  return zoo;
}

const LayeredNetwork* FindInZoo(std::string_view name) {
  const auto found = std::ranges::find(Zoo(), name, &LayeredNetwork::name);
  return found == Zoo().end() ? nullptr : &*found;
}

}  // namespace fairlead
