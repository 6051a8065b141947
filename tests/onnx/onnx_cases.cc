// Networks with inputs and outputs from elsewhere, imported and carried out by the reference.
//
//     onnx_cases FOLDER
//
// For each NAME.onnx in the folder: NAME.in has its inputs one after the other, NAME.out what must
// come out, both as little-endian floats. Prints for each "right", "wrong" or "refused", the name
// and, of the last two, why.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "fairlead/networks/onnx/onnx_import.h"
#include "fairlead/networks/reference_operators.h"

namespace fairlead {
namespace {

std::string ReadBytes(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<float> ReadNumbers(const std::filesystem::path& path) {
  const std::string bytes = ReadBytes(path);
  std::vector<float> numbers(bytes.size() / sizeof(float));
  std::memcpy(numbers.data(), bytes.data(), numbers.size() * sizeof(float));
  return numbers;
}

// All inputs are of one batch.
std::vector<std::vector<float>> Divide(const OperatorGraph& graph, std::int64_t batch,
                                       const std::vector<float>& numbers) {
  std::vector<std::vector<float>> inputs;
  auto next = numbers.begin();
  for (TensorIndex input : graph.inputs) {
    const auto end = next + batch * ElementsOf(graph.tensors[input].dims);
    inputs.emplace_back(next, end);
    next = end;
  }
  return inputs;
}

bool IsClose(float a, float b) {
  return std::abs(a - b) <= 1e-5F + 1e-4F * std::abs(b) || (std::isnan(a) && std::isnan(b));
}

std::string Verdict(const std::filesystem::path& path) {
  const auto graph = ImportOperators(path.filename().string(), ReadBytes(path), {});
  if (!graph.has_value()) return "refused " + graph.error().message;
  const std::vector<float> in = ReadNumbers(std::filesystem::path(path).replace_extension("in"));
  const std::vector<float> wanted =
      ReadNumbers(std::filesystem::path(path).replace_extension("out"));
  std::int64_t sample = 0;
  for (TensorIndex input : graph->inputs) sample += ElementsOf(graph->tensors[input].dims);
  const std::int64_t batch = static_cast<std::int64_t>(in.size()) / sample;
  const std::string name = path.stem().string();
  if (batch * sample != static_cast<std::int64_t>(in.size()))
    return fmt::format("wrong {}: {} numbers for inputs of {}", name, in.size(), sample);
  std::vector<float> all;
  for (const auto& output : ReferenceOutputs(*graph, batch, Divide(*graph, batch, in)))
    all.insert(all.end(), output.begin(), output.end());
  if (all.size() != wanted.size())
    return fmt::format("wrong {}: {} numbers; expected {}", name, all.size(), wanted.size());
  const auto [ours, theirs] = std::ranges::mismatch(all, wanted, &IsClose);
  if (ours == all.end()) return "right " + name;
  return fmt::format("wrong {}: {} at {}; expected {}", name, *ours, ours - all.begin(), *theirs);
}

}  // namespace
}  // namespace fairlead

int main(int argc, char** argv) {
  if (argc != 2) {
    fmt::print(stderr, "usage: onnx_cases FOLDER\n");
    return 2;
  }
  for (const auto& entry : std::filesystem::directory_iterator(argv[1])) {
    if (entry.path().extension() == ".onnx") fmt::print("{}\n", fairlead::Verdict(entry.path()));
  }
  return 0;
}
