#include "fairlead/networks/onnx/names.h"

#include <fmt/format.h>

#include <algorithm>

#include "fairlead/networks/onnx/warning_list.h"

namespace fairlead {

std::string NetworkNameOf(std::string_view file) {
  file.remove_prefix(std::min(file.size(), file.find_last_of('/') + 1));
  if (file.ends_with(".onnx")) file.remove_suffix(5);
  return file.empty() ? "network" : Printable(file);
}

std::string NodeNames::NameOf(const GraphNode& node) {
  const onnx::NodeProto& proto = *node.proto;
  const std::string& given = proto.name().empty() ? proto.output(0) : proto.name();
  return NameLike(given.empty() ? "layer" : Printable(given));
}

std::string NodeNames::NameLike(const std::string& name) {
  const int count = ++names_[name];
  if (count == 1) return name;
  std::string copy = fmt::format("{}#{}", name, count);
  while (!names_.try_emplace(copy, 1).second) copy = fmt::format("{}#{}", name, ++names_[name]);
  return copy;
}

}  // namespace fairlead
