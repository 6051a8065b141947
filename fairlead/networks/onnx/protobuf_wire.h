// Protocol buffers as they lie in a file, field by field, without copying.
//
// What is too large to be parsed into objects (weights) is looked at in place.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace fairlead {

enum class WireType : std::uint8_t { kVarint = 0, kFixed64 = 1, kBytes = 2, kFixed32 = 5 };

struct WireField {
  std::uint64_t number = 0;
  WireType type = WireType::kVarint;
  std::string_view whole;     // tag included
  std::string_view contents;  // without the tag, and without the length of kBytes
};

// Both take what they return from the front of `in`; none where it is cut off, or no such thing.
std::optional<std::uint64_t> TakeVarint(std::string_view& in);
std::optional<WireField> TakeField(std::string_view& in);

void PutBytes(std::string& out, std::uint64_t number, std::string_view contents);

// Leaves the weights out of a serialised ONNX model, before anything is allocated for them.

// The model with the contents of all tensors of more than a kilobyte left out; their names, types
// and dimensions stay. None where the bytes are not a protocol buffer of this form.
std::optional<std::string> WithoutWeights(std::string_view model);

}  // namespace fairlead
