#include "fairlead/execution/onednn/load_limits.h"

#include <unistd.h>

#include <limits>

namespace fairlead {
namespace {

constexpr double kMostMultiplications = 1e13;

// Where products of dimensions could overflow, they are floating.
double Elements(const TensorDims& dims) {
  double elements = 1;
  for (std::int64_t dim : dims) elements *= static_cast<double>(dim);
  return elements;
}

// For each number of the result.
double Multiplications(const OperatorBody& body) {
  if (const auto* convolution = std::get_if<Convolution>(&body)) {
    const TensorDims& w = convolution->weights->dims;
    const std::int64_t inputs = convolution->transposed ? w[0] / convolution->groups : w[1];
    return static_cast<double>(inputs) * static_cast<double>(w[2]) * static_cast<double>(w[3]);
  }
  if (const auto* linear = std::get_if<Linear>(&body))
    return static_cast<double>(linear->weights->dims[1]);
  if (const auto* pool = std::get_if<Pool>(&body))
    return static_cast<double>(pool->window.kernel[0]) *
           static_cast<double>(pool->window.kernel[1]);
  if (const auto* norm = std::get_if<LocalResponseNorm>(&body))
    return static_cast<double>(norm->size);
  return 1;
}

}  // namespace

std::size_t PhysicalMemory() {
  const long pages = sysconf(_SC_PHYS_PAGES);
  const long page = sysconf(_SC_PAGE_SIZE);
  if (pages <= 0 || page <= 0) return std::numeric_limits<std::size_t>::max();
  return static_cast<std::size_t>(pages) * static_cast<std::size_t>(page);
}

Status CheckLoadLimits(const OperatorGraph& graph, std::size_t batch) {
  const auto samples = static_cast<double>(batch);
  double multiplications = 0;
  for (const GraphOperator& op : graph.operators) {
    const double results = samples * Elements(graph.tensors[op.output].dims);
    double operands = results;
    for (TensorIndex read : op.Reads()) operands += samples * Elements(graph.tensors[read].dims);
    if (operands * sizeof(float) > static_cast<double>(PhysicalMemory()) / 2)
      return Fail(
          "network '{}': operator '{}' ({}) needs {:.0f} MiB at batch {}, more than this "
          "machine has",
          graph.name, op.name, NameOf(op.body), operands * sizeof(float) / (1 << 20), batch);
    multiplications += results * Multiplications(op.body);
  }
  if (multiplications > kMostMultiplications)
    return Fail("network '{}' takes {:.1e} multiplications at batch {}; at most {:.0e}", graph.name,
                multiplications, batch, kMostMultiplications);
  return {};
}

}  // namespace fairlead
