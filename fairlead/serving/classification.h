// An output as its highest elements, for clients that ask for classes and not for scores: Triton's
// extension "classification".
#pragma once

#include <cstddef>

#include "fairlead/serving/tensor.h"

namespace fairlead {

// Texts are left as they are. Of numbers: the `count` highest elements, or as many as there are, as
// texts "value:index", the highest first, and of equal ones the first; what is no number comes
// last. `stacked`: of each sample, of which the first dimension is the number: BYTES of the shape
// [samples, count]; else of all of them: [count].
TensorData HighestOf(const TensorData& output, std::size_t count, bool stacked);

}  // namespace fairlead
