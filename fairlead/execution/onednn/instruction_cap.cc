#include "fairlead/execution/onednn/instruction_cap.h"

#include <array>
#include <utility>

namespace fairlead {
namespace {

constexpr std::array<std::pair<std::string_view, InstructionCap>, 5> kNames = {
    {{"sse41", InstructionCap::kSse41},
     {"avx", InstructionCap::kAvx},
     {"avx2", InstructionCap::kAvx2},
     {"avx512", InstructionCap::kAvx512},
     {"none", InstructionCap::kNone}}};

// What the name says; kNone where it says nothing.
InstructionCap NamedIn(std::string_view implementation) {
  const auto says = [&](std::string_view word) {
    return implementation.find(word) != std::string_view::npos;
  };
  if (says("amx")) return InstructionCap::kNone;
  if (says("avx512")) return InstructionCap::kAvx512;
  if (says("avx2")) return InstructionCap::kAvx2;
  if (says("avx")) return InstructionCap::kAvx;
  if (says("sse41")) return InstructionCap::kSse41;
  // Plain C++ that the distribution compiled for any processor.
  if (says("ref") || says("simple") || says("nchw_pooling")) return InstructionCap::kSse41;
  return InstructionCap::kNone;
}

}  // namespace

std::string_view Name(InstructionCap cap) { return kNames[static_cast<std::size_t>(cap)].first; }

std::optional<InstructionCap> FindInstructionCap(std::string_view name) {
  for (const auto& [known, cap] : kNames) {
    if (known == name) return cap;
  }
  return std::nullopt;
}

bool Permits(InstructionCap cap, std::string_view implementation) {
  return NamedIn(implementation) <= cap;
}

}  // namespace fairlead
