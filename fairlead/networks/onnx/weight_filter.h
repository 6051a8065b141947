// Leaves the weights out of a serialised ONNX model, before anything is allocated for them.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace fairlead {

// The model with the contents of all tensors of more than a kilobyte left out; their names, types
// and dimensions stay. None where the bytes are not a protocol buffer of this form.
std::optional<std::string> WithoutWeights(std::string_view model);

}  // namespace fairlead
