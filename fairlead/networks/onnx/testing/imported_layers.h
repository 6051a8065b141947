// Small models as layers, for the tests of the import.
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

#include "fairlead/networks/onnx/onnx_import.h"
#include "fairlead/networks/onnx/testing/test_model.h"

namespace fairlead {

inline ImportedNetwork ImportLayers(const TestModel& model) {
  auto imported = ImportOnnx("some/net.onnx", model.Bytes());
  if (!imported.has_value()) throw std::runtime_error(imported.error().message);
  return std::move(*imported);
}

inline std::vector<NetworkLayer> Layers(const TestModel& model) {
  return ImportLayers(model).network.layers;
}

// "conv 4x6x6" for each layer: its kind and output.
inline std::vector<std::string> Summary(const TestModel& model) {
  std::vector<std::string> lines;
  for (const NetworkLayer& layer : Layers(model)) {
    lines.push_back(fmt::format("{} {}x{}x{}", Name(layer.shape.kind), layer.shape.k, layer.shape.p,
                                layer.shape.q));
  }
  return lines;
}

// x of 3x8x8, and the result "c" of a convolution with 4 outputs of 6x6.
inline TestModel AfterConvolution() {
  TestModel model({1, 3, 8, 8});
  model.Weights("w", {4, 3, 3, 3}).Node("Conv", {"x", "w"}, "c");
  return model;
}

}  // namespace fairlead
