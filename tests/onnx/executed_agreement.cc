// Runs networks that PyTorch exported, and compares with what PyTorch computed:
//
//     executed_agreement FOLDER NETWORK...
//
// FOLDER is as export_with_outputs.py wrote it. Exits with 1 where a result differs by more than
// 1e-4 of the largest, with 2 where a network cannot be run.
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "fairlead/execution/machine.h"
#include "fairlead/execution/onednn/cpu_partition.h"
#include "fairlead/networks/onnx/onnx_import.h"
#include "fairlead/networks/operator_fusion.h"
#include "fairlead/scenario/files.h"

namespace fairlead {
namespace {

constexpr double kMostDifference = 1e-4;

Result<std::vector<float>> ReadNumbers(const std::string& file) {
  ASSIGN_OR_RETURN(const std::string bytes, ReadFile(file));
  std::vector<float> numbers(bytes.size() / sizeof(float));
  std::memcpy(numbers.data(), bytes.data(), numbers.size() * sizeof(float));
  return numbers;
}

// Of the largest output.
Result<double> DifferenceOf(Processor& processor, const OperatorGraph& graph,
                            const std::string& path, std::size_t batch) {
  ASSIGN_OR_RETURN(const auto network, processor.Load(graph, batch));
  ASSIGN_OR_RETURN(const auto input, ReadNumbers(fmt::format("{}.b{}.in", path, batch)));
  ASSIGN_OR_RETURN(const auto expected, ReadNumbers(fmt::format("{}.b{}.out", path, batch)));
  const auto run = network->NewRun();
  if (run->Input(0).size() != input.size() || run->Output(0).size() != expected.size())
    return Fail("{}: has other dimensions than PyTorch's", path);
  std::ranges::copy(input, run->Input(0).data());
  const std::atomic<bool> never = false;
  run->RunLayers(0, network->LayerCount(), never);
  double difference = 0;
  double largest = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const auto wanted = static_cast<double>(expected[i]);
    const double error = std::abs(static_cast<double>(run->Output(0)[i]) - wanted);
    if (!(error <= difference)) difference = error;  // also when it is no number
    largest = std::max(largest, std::abs(wanted));
  }
  return difference / largest;
}

Result<bool> Agrees(Processor& processor, const std::string& path) {
  ASSIGN_OR_RETURN(const std::string bytes, ReadFile(path + ".onnx"));
  ASSIGN_OR_RETURN(OperatorGraph imported, ImportOperators(path, bytes, {}));
  const OperatorGraph graph = FuseOperators(std::move(imported));
  bool agrees = true;
  for (std::size_t batch : {std::size_t{1}, std::size_t{4}}) {
    ASSIGN_OR_RETURN(const double difference, DifferenceOf(processor, graph, path, batch));
    fmt::print("{} batch {}: {:.1e} of the largest output\n", path, batch, difference);
    agrees = agrees && difference <= kMostDifference;
  }
  return agrees;
}

int Main(const std::string& folder, const std::vector<std::string>& networks) {
  auto processor =
      MakeCpuPartition({.name = "all", .cores = Machine::This().UsableCores(), .cache_folder = ""});
  if (!processor.has_value() || !(*processor)->Enter().has_value()) return 2;
  int status = 0;
  for (const std::string& network : networks) {
    const auto agrees = Agrees(**processor, fmt::format("{}/{}", folder, network));
    if (!agrees.has_value()) fmt::print("{}\n", agrees.error().message);
    status = std::max(status, !agrees.has_value() ? 2 : *agrees ? 0 : 1);
  }
  return status;
}

}  // namespace
}  // namespace fairlead

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  return fairlead::Main(argv[1], {argv + 2, argv + argc});
}
