#include "fairlead/world/cpu_partitions.h"

#include <algorithm>
#include <string_view>

#include "fairlead/base/units.h"
#include "fairlead/execution/core_list.h"
#include "fairlead/scenario/split.h"

namespace fairlead {
namespace {

Result<std::vector<int>> FindCores(const std::string& text, std::span<const int> usable) {
  if (text.empty()) return std::vector<int>(usable.begin(), usable.end());
  auto cores = ParseCores(text);
  if (!cores.has_value()) return Fail("--cores: {}", cores.error().message);
  for (int core : *cores) {
    if (std::ranges::find(usable, core) == usable.end())
      return Fail("--cores: there is no core {}; this process may use {}", core,
                  FormatCores(usable));
  }
  return cores;
}

// Where there are enough, two are left to the engine and to whoever talks to it.
constexpr std::size_t kEnoughToLeaveTwo = 4;

Result<std::vector<std::size_t>> FindSizes(const std::string& text, std::size_t cores,
                                           bool all_named) {
  if (text.empty()) {
    const std::size_t left = !all_named && cores >= kEnoughToLeaveTwo ? 2 : 0;
    const std::size_t half = (cores - left) / 2;
    return cores < 2 ? std::vector{cores} : std::vector{half, half};
  }
  std::vector<std::size_t> sizes;
  std::size_t sum = 0;
  for (const std::string_view word : SplitAt(text, ',')) {
    const auto size = ParseInteger(word);
    if (!size.has_value() || *size < 1 || *size > 4096)
      return Fail("--partitions: '{}' is no number of cores; expected a list such as 4,2,2", word);
    sizes.push_back(static_cast<std::size_t>(*size));
    sum += sizes.back();
  }
  if (sum > cores) return Fail("--partitions: {} take {} cores; there are {}", text, sum, cores);
  return sizes;
}

Result<std::vector<InstructionCap>> FindCaps(const std::string& text, std::size_t partitions) {
  if (text.empty()) return std::vector(partitions, InstructionCap::kNone);
  std::vector<InstructionCap> caps;
  for (const std::string_view word : SplitAt(text, ',')) {
    const auto cap = FindInstructionCap(word);
    if (!cap.has_value()) {
      const std::vector<std::string_view> names = {"sse41", "avx", "avx2", "avx512", "none"};
      return Fail("--instructions: unknown '{}'{}", word, Suggest(word, names));
    }
    caps.push_back(*cap);
  }
  if (caps.size() == 1) caps.resize(partitions, caps.front());
  if (caps.size() != partitions)
    return Fail("--instructions: {} caps for {} partitions", caps.size(), partitions);
  return caps;
}

}  // namespace

Result<std::vector<CpuPartitionSpec>> CutCores(const PartitionOptions& options,
                                               std::span<const int> usable) {
  ASSIGN_OR_RETURN(const std::vector<int> cores, FindCores(options.cores, usable));
  ASSIGN_OR_RETURN(const std::vector<std::size_t> sizes,
                   FindSizes(options.sizes, cores.size(), !options.cores.empty()));
  ASSIGN_OR_RETURN(const std::vector<InstructionCap> caps,
                   FindCaps(options.instructions, sizes.size()));
  std::vector<CpuPartitionSpec> specs;
  auto next = cores.begin();
  for (std::size_t p = 0; p < sizes.size(); ++p) {
    const auto end = next + static_cast<std::ptrdiff_t>(sizes[p]);
    specs.push_back(
        {.name = fmt::format("p{}", p), .cores = std::vector<int>(next, end), .cap = caps[p]});
    next = end;
  }
  return specs;
}

}  // namespace fairlead
