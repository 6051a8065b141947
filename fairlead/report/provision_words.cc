#include <fmt/format.h>

#include "fairlead/report/provision_report.h"

namespace fairlead {

std::string PlatformInWords(const ProvisionResults& results, const TriedPlatform& platform) {
  std::string text;
  for (std::size_t kind = 0; kind < results.kinds.size(); ++kind) {
    if (platform.counts[kind] == 0) continue;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", platform.counts[kind],
                        results.kinds[kind]);
  }
  return text;
}

std::string_view ToString(TriedPlatform::Verdict verdict) {
  switch (verdict) {
    case TriedPlatform::Verdict::kCannotRun: return "cannot run";
    case TriedPlatform::Verdict::kProvablyNot: return "provably not";
    case TriedPlatform::Verdict::kBroken: return "broken";
    case TriedPlatform::Verdict::kUncertain: return "uncertain";
    case TriedPlatform::Verdict::kKeeps: return "keeps";
  }
  return "?";
}

std::string VerdictInWords(const TriedPlatform& tried) {
  const bool keeps = tried.verdict == TriedPlatform::Verdict::kKeeps;
  if (keeps || tried.weakest.empty()) return std::string(ToString(tried.verdict));
  return fmt::format("{}: {}", ToString(tried.verdict), tried.weakest);
}

}  // namespace fairlead
