// Names for what comes from ONNX files.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>

#include "fairlead/networks/onnx/onnx_graph.h"

namespace fairlead {

// "folder/resnet50.onnx" is resnet50.
std::string NetworkNameOf(std::string_view file);

// Names of nodes as they may stand in tables, never twice the same.
class NodeNames {
 public:
  std::string NameOf(const GraphNode& node);
  // This name, or one with a number behind it.
  std::string NameLike(const std::string& name);

 private:
  std::unordered_map<std::string, int> names_;
};

}  // namespace fairlead
