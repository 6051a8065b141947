#include "fairlead/serving/network_files.h"

#include <algorithm>
#include <utility>

#include "fairlead/base/units.h"
#include "fairlead/serving/json_reader.h"

namespace fairlead {
namespace {

constexpr std::string_view kFile = "file:";
constexpr std::string_view kModel = "model.onnx";

}  // namespace

Status NetworkFiles::AddFile(std::string_view parameter, std::string bytes) {
  const std::string_view path = parameter.substr(std::min(kFile.size(), parameter.size()));
  const std::size_t slash = path.find('/');
  const auto version = ParseInteger(path.substr(0, slash));
  if (!parameter.starts_with(kFile) || slash == std::string_view::npos || !version.has_value() ||
      *version < 0 || path.substr(slash + 1) != kModel)
    return Fail("parameter '{}': expected a file such as 'file:1/model.onnx'",
                parameter.substr(0, 80));
  if (*version <= version_) return {};
  version_ = *version;
  bytes_ = std::move(bytes);
  return {};
}

Status NetworkFiles::AddConfiguration(std::string_view text) {
  JsonReader reader(text);
  std::string key;
  for (reader.EnterObject(); reader.NextKey(key);) reader.Skip();
  if (!reader.Finish()) return Fail("'config': {}", reader.status().error().message);
  configured_ = true;
  return {};
}

Result<NetworkOrder> NetworkFiles::Order(std::string network) && {
  NetworkOrder order{.name = std::move(network)};
  if (version_ < 0) return order;
  if (!configured_) return Fail("files need the parameter 'config' beside them; it may be '{{}}'");
  order.file = std::move(bytes_);
  return order;
}

}  // namespace fairlead
