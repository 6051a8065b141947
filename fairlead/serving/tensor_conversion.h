// What clients send, made into the numbers that networks compute with, and back.
#pragma once

#include <cstddef>
#include <span>

#include "fairlead/base/result.h"
#include "fairlead/serving/tensor.h"

namespace fairlead {

// Whether a tensor can be an input that is as `wanted` says: its shape, with or without a batch of
// one in front, the number of its bytes, a type that can be converted, and whole numbers that FP32
// can hold.
Status CheckInput(const TensorInfo& wanted, const TensorData& tensor);

// Of a tensor that passes the check. FP32 is copied as it is; BOOL becomes 0 or 1.
void WriteNumbers(TensorType type, std::span<const std::byte> bytes, std::span<float> numbers);

// Results as a client gets them, in memory of their own: FP32 is copied as it is. FP16 and BF16 are
// rounded to the nearest; whole numbers are cut off towards 0, and are the least or the largest of
// their type where they lie beyond it (0: what is no number); BOOL is what is not 0. Of numbers,
// so not of BYTES.
SharedBytes BytesOf(TensorType type, std::span<const float> numbers);

}  // namespace fairlead
