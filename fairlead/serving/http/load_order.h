// The body of a request to load a network, as Triton's clients send it.
#pragma once

#include <string>
#include <string_view>

#include "fairlead/base/result.h"
#include "fairlead/serving/inference.h"

namespace fairlead {

// {"parameters": {"config": "{...}", "file:1/model.onnx": "base64"}}, or nothing.
Result<NetworkOrder> DecodeOrder(std::string network, std::string_view body);

// RFC 4648, padded or not; none where it is wrong.
std::optional<std::string> DecodeBase64(std::string_view text);

}  // namespace fairlead
