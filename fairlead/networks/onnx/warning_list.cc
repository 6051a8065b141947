#include "fairlead/networks/onnx/warning_list.h"

#include <fmt/format.h>

namespace fairlead {

std::string Printable(std::string_view name) {
  constexpr std::size_t kLongest = 100;
  std::string result(name.substr(0, kLongest));
  for (char& c : result) {
    if (c <= ' ' || c > '~' || c == ',' || c == '"') c = '_';
  }
  return result;
}

void WarningList::Add(const std::string& warning, std::string_view node) {
  constexpr std::size_t kMostKinds = 100;
  constexpr std::size_t kNamed = 3;
  if (warnings_.size() >= kMostKinds && !warnings_.contains(warning)) return;
  Occurrences& occurrences = warnings_[warning];
  if (++occurrences.count == kNamed + 1) occurrences.first += ", ...";
  if (occurrences.count > kNamed) return;
  if (occurrences.count > 1) occurrences.first += ", ";
  occurrences.first += Printable(node);
}

std::vector<std::string> WarningList::Lines() const {
  std::vector<std::string> lines;
  lines.reserve(warnings_.size());
  for (const auto& [warning, occurrences] : warnings_) {
    lines.push_back(fmt::format("{} ({} time{}: {})", warning, occurrences.count,
                                occurrences.count == 1 ? "" : "s", occurrences.first));
  }
  return lines;
}

}  // namespace fairlead
