// The numbers of a tensor between JSON and bytes.
#pragma once

#include <string>
#include <string_view>

#include "fairlead/base/result.h"
#include "fairlead/serving/json_reader.h"
#include "fairlead/serving/tensor.h"

namespace fairlead {

// `text` is the value of "data": a list, or lists in lists, of as many elements as the shape has.
// `origin` is where it stands in what the client sent.
Result<SharedBytes> TensorFromJson(const TensorInfo& info, std::string_view text,
                                   std::size_t origin);

// Adds the list of its elements to the JSON.
Status AppendTensorJson(const TensorData& tensor, std::string& json);

// Whether the bytes are so many elements of BYTES, each with its length before it.
bool AreTexts(std::span<const std::byte> bytes, std::int64_t count);

}  // namespace fairlead
