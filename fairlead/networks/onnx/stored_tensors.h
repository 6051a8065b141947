// Where the weights lie in an ONNX file, and what they are.
//
// They are read in place and one at a time, so that no tensor is in memory twice, and nothing is
// allocated that the file does not hold.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "fairlead/base/result.h"

namespace fairlead {

// Serialised messages, as many and in the same order as in the graph after parsing.
struct StoredTensors {
  std::vector<std::string_view> initializers;
  std::vector<std::string_view> nodes;
};

// None where the bytes are not a protocol buffer of this form.
std::optional<StoredTensors> FindStoredTensors(std::string_view model);

// The tensor in a Constant's attribute `value`; empty where there is none.
std::string_view ValueInside(std::string_view node);

// The numbers in a serialised tensor of an ONNX type, which must be `elements`.
Result<std::vector<float>> ReadFloats(std::string_view tensor, int type, std::int64_t elements);

// Whether ReadFloats reads this type: floating point with 16, 32 and 64 bits.
bool IsFloatType(int type);

}  // namespace fairlead
