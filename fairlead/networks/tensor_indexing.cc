#include "fairlead/networks/tensor_indexing.h"

#include "fairlead/base/check.h"

namespace fairlead {

AlongAxis::AlongAxis(const TensorDims& dims, std::size_t axis)
    : size(static_cast<std::size_t>(dims[axis])) {
  for (std::size_t i = 0; i < axis; ++i) outer *= static_cast<std::size_t>(dims[i]);
  for (std::size_t i = axis + 1; i < dims.size(); ++i) stride *= static_cast<std::size_t>(dims[i]);
}

bool IndexWalk::Next() {
  for (std::size_t i = index_.size(); i-- > 0;) {
    if (++index_[i] < dims_[i]) return true;
    index_[i] = 0;
  }
  return false;
}

std::size_t PlaceOf(const TensorDims& index, const TensorDims& dims) {
  CHECK(index.size() >= dims.size());
  std::int64_t place = 0;
  for (std::size_t i = 0; i < dims.size(); ++i) {
    const std::int64_t here = index[index.size() - dims.size() + i];
    CHECK(here >= 0 && (dims[i] == 1 || here < dims[i]));
    place = place * dims[i] + (dims[i] == 1 ? 0 : here);
  }
  return static_cast<std::size_t>(place);
}

}  // namespace fairlead
