// What clients in Triton's style bring with a network that is to be loaded: a configuration and
// files by their places in a folder of models.
#pragma once

#include <string>
#include <string_view>

#include "fairlead/base/result.h"
#include "fairlead/serving/inference.h"

namespace fairlead {

// Takes them one by one.
class NetworkFiles {
 public:
  // "file:1/model.onnx": the one that counts is that of the highest version. Fails where it is
  // another kind of file.
  Status AddFile(std::string_view parameter, std::string bytes);
  // They belong together: who brings files says how they are configured. What the configuration
  // says is not needed, since shapes and types are in the file. Fails where it is no object of
  // JSON.
  Status AddConfiguration(std::string_view text);

  Result<NetworkOrder> Order(std::string network) &&;

 private:
  bool configured_ = false;
  std::int64_t version_ = -1;
  std::string bytes_;
};

}  // namespace fairlead
