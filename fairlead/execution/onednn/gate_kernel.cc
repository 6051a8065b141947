#include "fairlead/execution/onednn/gate_kernel.h"

// Compiled for several instruction sets; the loader picks. Sanitizers cannot start such programs.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || defined(__clang__)
#define FAIRLEAD_VECTOR_CLONES
#else
#define FAIRLEAD_VECTOR_CLONES \
  __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#endif

namespace fairlead {
namespace {

FAIRLEAD_VECTOR_CLONES
void ScaleAll(const float* from, float factor, std::int64_t count, float* to) {
  for (std::int64_t i = 0; i < count; ++i) to[i] = from[i] * factor;
}

FAIRLEAD_VECTOR_CLONES
void ScaleLanes(const float* from, const float* factors, std::int64_t lanes, std::int64_t pixels,
                float* to) {
  for (std::int64_t pixel = 0; pixel < pixels; ++pixel) {
    for (std::int64_t lane = 0; lane < lanes; ++lane) to[lane] = from[lane] * factors[lane];
    from += lanes;
    to += lanes;
  }
}

}  // namespace

GateKernel::GateKernel(const TensorDims& dims, std::size_t batch, Layout layout)
    : pixels_(dims[1] * dims[2]), lanes_(BlockOf(layout)) {
  if (layout == Layout::kChannelsLast) lanes_ = dims[0];
  groups_ = static_cast<std::int64_t>(batch) * StoredElements(dims, layout) / (lanes_ * pixels_);
}

void GateKernel::Run(const float* images, const float* gates, float* output) const {
  for (std::int64_t group = 0; group < groups_; ++group) {
    if (lanes_ == 1) {
      ScaleAll(images, gates[group], pixels_, output);
    } else {
      ScaleLanes(images, gates + group * lanes_, lanes_, pixels_, output);
    }
    images += lanes_ * pixels_;
    output += lanes_ * pixels_;
  }
}

}  // namespace fairlead
